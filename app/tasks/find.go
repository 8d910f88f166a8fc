package tasks

import (
	"context"

	"piwork/app/task"
)

// Tasks lists every task, newest first. One whose record cannot be read is
// listed as failed with the problem "record-damaged".
func (c *Runner) Tasks(ctx context.Context) ([]task.Task, error) {
	return c.FindTasks(ctx, task.Filter{})
}

// FindTasks lists the tasks that are meant, newest first; none is without Asked.
func (c *Runner) FindTasks(_ context.Context, f task.Filter) ([]task.Task, error) {
	return c.o.Registry.Find(f)
}
