package apitest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"piwork/app/tasks"
	"slices"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
)

// Tasks implements api.Service.
func (f *Fake) Tasks(ctx context.Context) ([]task.Task, error) {
	return f.FindTasks(ctx, task.Filter{})
}

// FindTasks implements api.Service; its text is looked for in titles as it is.
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

// RenameTask implements api.Service.
func (f *Fake) RenameTask(_ context.Context, id string, req tasks.RenameRequest) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	r.t.Title, r.t.Titled = req.Title, req.Title != ""
	r.mu.Unlock()
	return r.record(), f.refused("RenameTask")
}

// StartAgain implements api.Service.
func (f *Fake) StartAgain(ctx context.Context, id string, again tasks.AgainRequest) (task.Task, error) {
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

// AddFolder implements api.Service; a task that is over takes none.
func (f *Fake) AddFolder(_ context.Context, id string, req task.FolderRequest) (task.Task, error) {
	folder := task.Folder{Path: req.Path, Name: path.Base(filepath.ToSlash(req.Path)), Mode: cmp.Or(req.Mode, task.ModeReadOnly)}
	return f.changeFolders(id, "AddFolder", func(t *task.Task) (task.Folder, error) {
		folder.ID = fmt.Sprintf("f%d", len(t.Folders)+1)
		t.Folders = append(slices.Clone(t.Folders), folder)
		return folder, nil
	})
}

// RemoveFolder implements api.Service.
func (f *Fake) RemoveFolder(_ context.Context, id, folder string) (task.Task, error) {
	return f.changeFolders(id, "RemoveFolder", func(t *task.Task) (task.Folder, error) {
		t.Folders = slices.Clone(t.Folders)
		i := slices.IndexFunc(t.Folders, func(f task.Folder) bool { return f.ID == folder && f.Removed == nil })
		if i < 0 {
			return task.Folder{}, problem.New(problem.CodeNotFound).With("folder", folder)
		}
		now := time.Now().UTC()
		t.Folders[i].Removed = &now
		return t.Folders[i], nil
	})
}

func (f *Fake) changeFolders(id, method string, change func(*task.Task) (task.Folder, error)) (task.Task, error) {
	r, err := f.find(id)
	if err == nil {
		err = f.refused(method)
	}
	if err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	if r.t.State.Final() {
		r.mu.Unlock()
		p := problem.New(problem.CodeFoldersFixed).With("task", id)
		p.Cause = "over"
		return task.Task{}, p
	}
	folder, err := change(&r.t)
	r.mu.Unlock()
	if err != nil {
		return task.Task{}, err
	}
	f.emit(r, task.EventFolder, task.FolderData{Folder: folder, By: "person"})
	return r.record(), nil
}

// ExportTask implements api.Service.
func (f *Fake) ExportTask(_ context.Context, id string) (io.ReadCloser, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Export == nil {
		return nil, problem.New(problem.CodeNotFound).With("task", id)
	}
	return io.NopCloser(bytes.NewReader(f.Export)), f.refused("ExportTask")
}
