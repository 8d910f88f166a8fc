package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"piwork/app/capacity"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
)

// Chores lists the chores that can be started.
func (c *Controller) Chores(context.Context) ([]chore.Info, error) { return chore.All(), nil }

// Task returns one task.
func (c *Controller) Task(_ context.Context, id string) (task.Task, error) {
	if end, ok := c.unsavedEnd(id); ok {
		return end, nil
	}
	t, err := c.store.Get(id)
	var damaged *task.DamagedError
	if errors.As(err, &damaged) {
		return damagedTask(damaged), nil
	}
	if err != nil {
		return t, taskProblem(id, err)
	}
	return t, nil
}

// unsavedEnd returns the end of a task that could not be written to the disk.
func (c *Controller) unsavedEnd(id string) (task.Task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	end, ok := c.unsaved[id]
	return end, ok
}

// damagedTask stands for a record that cannot be read.
func damagedTask(d *task.DamagedError) task.Task {
	return task.Task{
		V: task.RecordVersion, ID: d.ID, State: task.StateFailed, Created: task.IDTime(d.ID),
		Folders: []task.Folder{}, Error: problem.New(problem.CodeRecordDamaged).Because(d),
	}
}

// taskProblem turns an error of the store into a problem that names the task.
func taskProblem(id string, err error) error {
	switch {
	case errors.Is(err, task.ErrNotFound):
		return problem.New(problem.CodeNotFound).With("task", id).Because(err)
	default:
		var damaged *task.DamagedError
		if errors.As(err, &damaged) {
			return problem.New(problem.CodeRecordDamaged).With("task", id).Because(err)
		}
		return problem.From(err)
	}
}

// StartTask records a task and starts it; see Service.
func (c *Controller) StartTask(ctx context.Context, r StartRequest) (task.Task, error) {
	t, err := c.startTask(ctx, r)
	if err == nil {
		c.rememberFolders(r, t)
	}
	return t, err
}

// startTask is StartTask for a request that says nothing of what the person prefers.
func (c *Controller) startTask(ctx context.Context, r StartRequest) (task.Task, error) {
	r.request = RequestID(ctx)
	var err error
	if r.Kind == task.KindAI {
		if r.Model, err = c.ModelFor(ctx, r.Model); err != nil {
			return task.Task{}, problem.From(err)
		}
	}
	t, err := c.newTask(r)
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	size, err := c.SizeFor(ctx, capacity.Choice{MemoryMB: r.MemoryMB, CPUs: r.CPUs})
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	l := newLiveTask(c, t, r)
	l.size = size
	if err := c.begins(l, func() error { return c.store.Create(t) }); err != nil {
		return task.Task{}, err
	}
	if t.AI != nil {
		l.unlaid = c.layPictures(t.ID, t.AI.Pending[0], r.Images)
	}
	l.record(task.EventState, task.StateData{State: t.State})
	l.start(ctx)
	return t, nil
}

// begins makes a task one that lives, when write has written that down. Nobody else
// waits for the disk meanwhile.
func (c *Controller) begins(l *liveTask, write func() error) error {
	c.mu.Lock()
	if err := c.refuses(); err != nil {
		c.mu.Unlock()
		return err
	}
	c.live[l.id] = l
	c.work.Add(1)
	c.mu.Unlock()
	if err := write(); err != nil {
		l.cancel(nil)
		c.mu.Lock()
		delete(c.live, l.id)
		c.mu.Unlock()
		close(l.done)
		c.work.Done()
		return problem.From(err)
	}
	c.Pool.TaskStarted()
	return nil
}

// start has a task that lives stand in line and do its work. Unless its request is
// detached it ends when ctx ends.
func (l *liveTask) start(ctx context.Context) {
	if !l.req.Detached {
		l.unhook = context.AfterFunc(ctx, func() { l.cancel(errCaller) })
	}
	l.line()
	go func() {
		defer l.c.work.Done()
		l.run()
	}()
}

// task returns a task that runs, nil when it does not.
func (c *Controller) liveTask(id string) *liveTask {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live[id]
}

// AcceptPlan lets a task go on that waits with its plan.
func (c *Controller) AcceptPlan(_ context.Context, id string) (task.Task, error) {
	l := c.liveTask(id)
	if l == nil {
		if _, err := c.store.Get(id); err != nil {
			return task.Task{}, taskProblem(id, err)
		}
		return task.Task{}, problem.New(problem.CodeTaskNotWaiting).With("task", id)
	}
	return l.acceptPlan()
}

// Plan returns the plan of a chore.
func (c *Controller) Plan(_ context.Context, id string) (chore.Plan, error) {
	var p chore.Plan
	if err := c.store.LoadPlan(id, &p); err != nil {
		return p, taskProblem(id, err)
	}
	return p, nil
}

// CancelTask ends a task and waits for its end. A task that is over stays as it
// is.
func (c *Controller) CancelTask(ctx context.Context, id string) (task.Task, error) {
	if l := c.liveTask(id); l != nil {
		l.cancel(errCancelled)
		select {
		case <-l.done:
		case <-ctx.Done():
			return task.Task{}, problem.From(context.Cause(ctx))
		}
	}
	return c.Task(ctx, id)
}

// DeleteTask removes a task that is over: its record, journal, results and
// what is left of its machine. Changes in folders stay, and cannot be undone
// any more.
func (c *Controller) DeleteTask(ctx context.Context, id string) error {
	release, err := c.hold(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if err := c.store.Delete(id); err != nil {
		return taskProblem(id, err)
	}
	c.mu.Lock()
	delete(c.unsaved, id)
	c.mu.Unlock()
	c.events.Publish(task.Event{Task: id, Kind: task.EventGone, Data: struct{}{}})
	if err := os.RemoveAll(filepath.Join(c.o.DataDir, machineDir, id)); err != nil {
		return problem.From(err)
	}
	return nil
}

// RenameTask gives a task another title; see Service.
func (c *Controller) RenameTask(ctx context.Context, id string, r RenameRequest) (task.Task, error) {
	_, done, err := c.use(ctx)
	if err != nil {
		return task.Task{}, err
	}
	defer done()
	rename := func(t *task.Task) {
		if title := titleOf(r.Title); title != "" {
			t.Title, t.Titled = title, true
		} else {
			if made := madeTitle(*t); made != "" {
				t.Title = made
			}
			t.Titled = false
		}
	}
	if l := c.liveTask(id); l != nil {
		t, err := l.update(rename)
		if err != nil {
			return task.Task{}, taskProblem(id, err)
		}
		l.tell(task.EventState, task.StateData{State: t.State, Error: t.Error})
		return t, nil
	}
	t, err := c.store.Update(id, func(t *task.Task) error { rename(t); return nil })
	if err != nil {
		return task.Task{}, taskProblem(id, err)
	}
	c.mu.Lock()
	if end, ok := c.unsaved[id]; ok {
		end.Title, end.Titled = t.Title, t.Titled
		c.unsaved[id], t = end, end
	}
	c.mu.Unlock()
	c.events.Publish(task.Event{Task: id, Kind: task.EventState, Data: task.StateData{State: t.State, Error: t.Error}})
	return t, nil
}

// hold waits for the only use of a task that is over: its journal and its files
// are nobody else's until release is called. A task that runs is a conflict.
func (c *Controller) hold(ctx context.Context, id string) (release func(), err error) {
	for {
		c.mu.Lock()
		if c.live[id] != nil {
			c.mu.Unlock()
			return nil, problem.New(problem.CodeTaskRunning).With("task", id)
		}
		if err := c.refuses(); err != nil {
			c.mu.Unlock()
			return nil, err
		}
		other := c.busy[id]
		if other == nil {
			mine := make(chan struct{})
			c.busy[id] = mine
			c.work.Add(1)
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.busy, id)
				c.mu.Unlock()
				close(mine)
				c.work.Done()
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, problem.From(context.Cause(ctx))
		}
	}
}

// Timeline returns the events of a task; see Service.
func (c *Controller) Timeline(_ context.Context, id string, after int64) ([]task.Event, error) {
	events, err := c.store.Timeline(id, after)
	if err != nil {
		return nil, taskProblem(id, err)
	}
	return events, nil
}
