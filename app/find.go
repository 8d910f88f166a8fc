package app

import (
	"context"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/app/task"
)

// Tasks lists every task, newest first. One whose record cannot be read is
// listed as failed with the problem "record-damaged".
func (c *Controller) Tasks(ctx context.Context) ([]task.Task, error) {
	return c.FindTasks(ctx, task.Filter{})
}

// FindTasks lists the tasks that are meant; see Service.
func (c *Controller) FindTasks(_ context.Context, f task.Filter) ([]task.Task, error) {
	states := f.States
	f.States = nil // the end of one may be known here only
	tasks, damaged, err := c.store.Find(f)
	if err != nil {
		return nil, problem.From(err)
	}
	if len(f.Kinds) == 0 {
		for _, d := range damaged {
			tasks = append(tasks, damagedTask(d))
		}
	}
	for i := range tasks {
		if end, ok := c.unsavedEnd(tasks[i].ID); ok {
			end.Asked = nil
			tasks[i] = end
		}
	}
	if len(states) > 0 {
		tasks = slices.DeleteFunc(tasks, func(t task.Task) bool { return !slices.Contains(states, t.State) })
	}
	slices.SortFunc(tasks, func(a, b task.Task) int { return strings.Compare(b.ID, a.ID) })
	return nonNil(tasks), nil
}
