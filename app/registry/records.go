package registry

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/app/task"
)

// Task is the record of a task, or what stands for one that cannot be read.
func (r *Registry) Task(id string) (task.Task, error) {
	if end, ok := r.Unsaved(id); ok {
		return end, nil
	}
	t, err := r.store.Get(id)
	if damaged, is := errors.AsType[*task.DamagedError](err); is {
		return Damaged(damaged), nil
	}
	if err != nil {
		return t, Problem(id, err)
	}
	return t, nil
}

// Find lists the tasks that are meant, newest first. One whose record cannot be read
// is listed as failed with the problem "record-damaged".
func (r *Registry) Find(f task.Filter) ([]task.Task, error) {
	states := f.States
	f.States = nil // the end of one may be known here only
	tasks, damaged, err := r.store.Find(f)
	if err != nil {
		return nil, problem.From(err)
	}
	for _, d := range damaged {
		if t := Damaged(d); f.Means(t) {
			tasks = append(tasks, t)
		}
	}
	for i := range tasks {
		if end, ok := r.Unsaved(tasks[i].ID); ok {
			end.Asked = nil
			tasks[i] = end
		}
	}
	if len(states) > 0 {
		tasks = slices.DeleteFunc(tasks, func(t task.Task) bool { return !slices.Contains(states, t.State) })
	}
	slices.SortFunc(tasks, func(a, b task.Task) int { return strings.Compare(b.ID, a.ID) })
	if f.Limit > 0 && len(tasks) > f.Limit {
		tasks = tasks[:f.Limit]
	}
	return append([]task.Task{}, tasks...), nil
}

// Unsaved is the end of a task that could not be written to the disk.
func (r *Registry) Unsaved(id string) (task.Task, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end, ok := r.unsaved[id]
	return end, ok
}

// Update changes the record of a task that is over, and writes its end where that was only
// known here.
func (r *Registry) Update(id string, change func(*task.Task)) (task.Task, error) {
	write := r.store.Update
	end, unsaved := r.Unsaved(id)
	if unsaved {
		write = r.store.End
	}
	t, err := write(id, func(t *task.Task) error {
		if unsaved {
			data, err := json.Marshal(end) // a copy: readers have what is in it
			if err != nil {
				return err
			}
			*t = task.Task{}
			if err := json.Unmarshal(data, t); err != nil {
				return err
			}
		}
		change(t)
		return nil
	})
	if err != nil {
		return task.Task{}, Problem(id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unsaved, id)
	return t, nil
}

// saveEnd writes the end of a task that is only known here, if it is.
func (r *Registry) saveEnd(id string) error {
	if _, unsaved := r.Unsaved(id); !unsaved {
		return nil
	}
	_, err := r.Update(id, func(*task.Task) {})
	return err
}

// saveEnds tries once more to write the ends of tasks that are only known here.
func (r *Registry) saveEnds() {
	r.mu.Lock()
	ids := slices.Collect(maps.Keys(r.unsaved))
	r.mu.Unlock()
	for _, id := range ids {
		if err := r.saveEnd(id); err != nil {
			r.log.Error("the end of a task could not be written again", "task", id, "error", err)
		}
	}
}

// Record writes down, and tells, what was done with a task that is over.
func (r *Registry) Record(id string, kind task.EventKind, data any) {
	e, err := r.store.Append(id, kind, data)
	r.store.Release(id)
	if err != nil {
		r.log.Error("what was done with a task could not be written to the timeline", "task", id, "kind", kind, "error", err)
		e = task.Event{Task: id, Kind: kind, Data: data}
	}
	r.events.Publish(e)
}

// Delete removes the record of a task that is held, and all that is kept with it.
func (r *Registry) Delete(id string) error {
	if err := r.store.Delete(id); err != nil {
		return Problem(id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unsaved, id)
	return nil
}

// Timeline returns the events of a task after the number given, oldest first.
func (r *Registry) Timeline(id string, after int64) ([]task.Event, error) {
	events, err := r.store.Timeline(id, after)
	if err != nil {
		return nil, Problem(id, err)
	}
	return events, nil
}

// Finished are the tasks that are over and that nobody holds.
func (r *Registry) Finished() ([]string, error) {
	tasks, _, err := r.store.List()
	if err != nil {
		return nil, err
	}
	var out []string
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tasks {
		if t.State.Final() && r.live[t.ID] == nil && r.held[t.ID] == nil {
			out = append(out, t.ID)
		}
	}
	return out, nil
}

// Folders are the paths of those that tasks saw.
func (r *Registry) Folders() ([]string, error) {
	tasks, _, err := r.store.List()
	var out []string
	for _, t := range tasks {
		for _, f := range t.Folders {
			if !slices.Contains(out, f.Path) {
				out = append(out, f.Path)
			}
		}
	}
	return out, err
}

// Damaged stands for a record that cannot be read.
func Damaged(d *task.DamagedError) task.Task {
	return task.Task{
		V: task.RecordVersion, ID: d.ID, State: task.StateFailed, Created: task.IDTime(d.ID),
		Folders: []task.Folder{}, Error: problem.New(problem.CodeRecordDamaged).Because(d),
	}
}

// Problem turns an error of the store into a problem that names the task.
func Problem(id string, err error) error {
	var damaged *task.DamagedError
	switch {
	case errors.Is(err, task.ErrNotFound):
		return problem.New(problem.CodeNotFound).With("task", id).Because(err)
	case errors.Is(err, task.ErrExists):
		return problem.BadRequest("id", "another task has it")
	case errors.As(err, &damaged):
		return problem.New(problem.CodeRecordDamaged).With("task", id).Because(err)
	default:
		return problem.From(err)
	}
}

// Exists returns a problem for a task that there is not.
func (r *Registry) Exists(id string) error {
	_, err := r.Task(id)
	return err
}
