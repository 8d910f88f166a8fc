package apitest

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"piwork/app"
	"piwork/app/problem"
	"piwork/app/task"
)

// Tasks implements app.Service.
func (f *Fake) Tasks(ctx context.Context) ([]task.Task, error) {
	return f.FindTasks(ctx, task.Filter{})
}

// FindTasks implements app.Service; its text is looked for in titles as it is.
func (f *Fake) FindTasks(_ context.Context, filter task.Filter) ([]task.Task, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []task.Task{}
	for _, r := range slices.Backward(f.tasks) {
		t := r.record()
		if strings.Contains(t.Title, filter.Text) && (filter.States == nil || slices.Contains(filter.States, t.State)) &&
			(filter.Kinds == nil || slices.Contains(filter.Kinds, t.Kind)) {
			all = append(all, t)
		}
	}
	return all, f.refused("Tasks")
}

// RenameTask implements app.Service.
func (f *Fake) RenameTask(_ context.Context, id string, req app.RenameRequest) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	r.t.Title, r.t.Titled = req.Title, req.Title != ""
	r.mu.Unlock()
	return r.record(), f.refused("RenameTask")
}

// StartAgain implements app.Service.
func (f *Fake) StartAgain(ctx context.Context, id string, again app.AgainRequest) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	if err := f.refused("StartAgain"); err != nil {
		return task.Task{}, err
	}
	req := r.req
	req.Accept, req.Detached = again.Accept, again.Detached
	return f.StartTask(ctx, req)
}

// ExportTask implements app.Service.
func (f *Fake) ExportTask(_ context.Context, id string) (io.ReadCloser, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Export == nil {
		return nil, problem.New(problem.CodeNotFound).With("task", id)
	}
	return io.NopCloser(bytes.NewReader(f.Export)), f.refused("ExportTask")
}
