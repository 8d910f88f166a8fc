package tasks

import (
	"context"
	"path/filepath"

	"piwork/app/attach"
	"piwork/app/audit"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/pack/durable"
)

// Chores lists the chores that can be started.
func (c *Runner) Chores(context.Context) ([]chore.Info, error) { return chore.All(), nil }

// Tasks lists every task, newest first; a damaged record as failed, with "record-damaged".
func (c *Runner) Tasks(ctx context.Context) ([]task.Task, error) {
	return c.FindTasks(ctx, task.Filter{})
}

// FindTasks lists the tasks that are meant, newest first; none is without Asked.
func (c *Runner) FindTasks(_ context.Context, f task.Filter) ([]task.Task, error) {
	return c.o.Registry.Find(f)
}

// Task returns one task.
func (c *Runner) Task(_ context.Context, id string) (task.Task, error) {
	return c.o.Registry.Task(id)
}

// StartTask records a task and starts it. It returns as soon as the record is durable; what
// follows are events. The task ends when ctx ends, unless it is detached.
func (c *Runner) StartTask(ctx context.Context, r StartRequest) (task.Task, error) {
	t, err := c.startTask(ctx, r)
	if err == nil {
		c.rememberFolders(r, t)
	}
	return t, err
}

// startTask is StartTask for a request that says nothing of what the person prefers.
func (c *Runner) startTask(ctx context.Context, r StartRequest) (task.Task, error) {
	r.ask(ctx)
	r.Client, r.Door = task.ClientOf(ctx), task.DoorOf(ctx)
	var err error
	if r.Kind == task.KindAI {
		if r.Model, err = c.o.Models.ModelFor(ctx, r.Model); err != nil {
			return task.Task{}, problem.From(err)
		}
		if err := usable(ctx, c.o.Models, r.Program, r.Model); err != nil {
			return task.Task{}, err
		}
	}
	t, err := c.NewTask(r)
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	size, err := c.o.Fleet.SizeFor(ctx, r.size())
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	l := NewLive(c, t, r)
	l.size = size
	if err := c.begins(l, func() error { return c.o.Store.Create(t) }); err != nil {
		return task.Task{}, err
	}
	if t.AI != nil {
		l.ai.SetupErr = c.layPictures(t.ID, t.AI.Pending[0], r.Images)
	}
	l.Record(task.EventState, task.StateData{State: t.State})
	l.start(ctx)
	return t, nil
}

// begins makes a task one that lives, when write has written that down.
func (c *Runner) begins(l *Live, write func() error) (err error) {
	if l.gone, err = c.o.Registry.Begin(l.id, l, write); err != nil {
		l.cancel(nil)
		close(l.done)
		return err
	}
	c.o.Fleet.Pool.TaskStarted()
	return nil
}

// start has a task that lives stand in line and do its work, until ctx ends; see hook.
func (l *Live) start(ctx context.Context) {
	hook(ctx, l)
	l.line()
	go func() {
		defer l.gone()
		l.run()
	}()
}

// hook has a task end when ctx ends, unless it is detached, by its request or since.
func hook(ctx context.Context, l *Live) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.req.Detached && l.unhook == nil {
		l.unhook = context.AfterFunc(ctx, func() { l.cancel(errCaller) })
	}
}

// Live returns a task that is not over, nil for another one.
func (c *Runner) Live(id string) *Live {
	l, _ := c.o.Registry.Live(id).(*Live)
	return l
}

// DetachTask lets a task go on when whoever started it is gone.
func (c *Runner) DetachTask(_ context.Context, id string) (task.Task, error) {
	if l := c.Live(id); l != nil {
		l.mu.Lock()
		if l.unhook == nil { // perhaps it has not begun
			l.unhook = func() bool { return false }
		}
		l.unhook()
		l.mu.Unlock()
		l.prog.AwaitNobody()
	}
	return c.o.Registry.Task(id)
}

// AttachTask joins the program of a task that is at work; see [attach.Program.Attach].
func (c *Runner) AttachTask(ctx context.Context, id string, wait bool) (attach.Conn, error) {
	if l := c.Live(id); l != nil && l.prog != nil {
		if err := maySteer(ctx, l); err != nil {
			return nil, err
		}
		return l.prog.Attach(wait), nil
	}
	if _, err := c.o.Registry.Task(id); err != nil {
		return nil, err
	}
	return nil, problem.New(problem.CodeNotAttachable).With("task", id)
}

// AcceptPlan lets a task go on that waits with its plan.
func (c *Runner) AcceptPlan(ctx context.Context, id string) (task.Task, error) {
	l := c.Live(id)
	if l == nil {
		if _, err := c.o.Store.Get(id); err != nil {
			return task.Task{}, registry.Problem(id, err)
		}
		return task.Task{}, problem.New(problem.CodeTaskNotWaiting).With("task", id)
	}
	return l.acceptPlan(ctx)
}

// Plan returns the plan of a chore.
func (c *Runner) Plan(_ context.Context, id string) (chore.Plan, error) {
	var p chore.Plan
	if err := c.o.Store.LoadPlan(id, &p); err != nil {
		return p, registry.Problem(id, err)
	}
	return p, nil
}

// CancelTask ends a task and waits for its end. A task that is over stays as it is; an undo, redo or
// apply of it that is at work stops between two files.
func (c *Runner) CancelTask(ctx context.Context, id string) (task.Task, error) {
	c.o.Registry.CancelUses(id, ErrCancelled)
	if l := c.Live(id); l != nil {
		l.cancel(ErrCancelled)
		select {
		case <-l.done:
		case <-ctx.Done():
			return task.Task{}, problem.From(context.Cause(ctx))
		}
	}
	return c.Task(ctx, id)
}

// DeleteTask removes a task that is over: its record, journal, results and what is left of
// its machine. Changes in folders stay, and cannot be undone any more. An undo that was
// interrupted is finished first, or the task stays, unless the person abandons the undo.
func (c *Runner) DeleteTask(ctx context.Context, id string, abandonUndo bool) error {
	ctx, done, err := c.o.Registry.UseFor(ctx, registry.Use{Task: id})
	if err != nil {
		return err
	}
	defer done()
	release, err := c.o.Registry.Hold(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	t, err := c.o.Registry.Task(id)
	if err == nil {
		err = c.o.History.FinishOrAbandon(ctx, t, abandonUndo)
	}
	if err == nil {
		err = c.o.Audit.Decide(ctx, id, audit.Decision{Topic: "task", Answer: "removed"})
	}
	if err == nil {
		err = c.o.Registry.Delete(id)
	}
	if err != nil {
		p := problem.From(err)
		if p.Code == problem.CodeUndoWaits {
			p.Fix = problem.Fixes(problem.FixDeleteAnyway)
		}
		return p
	}
	c.o.Events.Publish(task.Event{Task: id, Kind: task.EventGone, Data: struct{}{}})
	if err := durable.RemoveAll(filepath.Join(c.o.Machines, id)); err != nil { // the next start tries again
		c.o.Log.Error("what is left of a task's machine could not be removed", "task", id, "error", err)
	}
	return nil
}

// RenameTask gives a task a title of the person's; "" brings the made one back.
func (c *Runner) RenameTask(ctx context.Context, id string, r RenameRequest) (task.Task, error) {
	_, done, err := c.o.Registry.Use(ctx)
	if err != nil {
		return task.Task{}, err
	}
	defer done()
	rename := func(t *task.Task) {
		if title := task.TitleOf(r.Title); title != "" {
			t.Title, t.Titled = title, true
		} else {
			if made := madeTitle(*t); made != "" {
				t.Title = made
			}
			t.Titled = false
		}
	}
	if l := c.Live(id); l != nil {
		t, err := l.Update(rename)
		if err != nil {
			return task.Task{}, err
		}
		l.Tell(task.EventState, task.StateData{State: t.State, Error: t.Error})
		return t, nil
	}
	t, err := c.o.Registry.Update(id, rename)
	if err != nil {
		return task.Task{}, err
	}
	c.o.Events.Publish(task.Event{Task: id, Kind: task.EventState, Data: task.StateData{State: t.State, Error: t.Error}})
	return t, nil
}

// Timeline returns the events of a task with a larger number than after.
func (c *Runner) Timeline(ctx context.Context, id string, after int64) ([]task.Event, error) {
	if l := c.Live(id); l != nil && l.Ending() { // whoever saw that it is over reads how
		select {
		case <-l.Done():
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return c.o.Registry.Timeline(id, after)
}
