package samples

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share"
)

// Dir is where pictures to try a chore on are made, in the cache directory.
const Dir = "samples"

// FolderRequest asks for pictures to try a chore on.
type FolderRequest struct {
	Language Language `json:"language,omitempty" maxLength:"8" doc:"of the names: en or de; any other is English"`
}

// Made is a folder with pictures to try a chore on.
type Made struct {
	Path  string `json:"path"`
	Files int    `json:"files"`
}

// Maker makes folders with pictures, one at a time. It is safe for concurrent use.
type Maker struct {
	root  string
	tasks func() ([]task.Task, error)
	turn  chan struct{} // of one at a time
}

// NewMaker makes a Maker for a cache directory. tasks lists those whose folders are left
// as they are while they are not over.
func NewMaker(cache string, tasks func() ([]task.Task, error)) *Maker {
	return &Maker{root: filepath.Join(cache, Dir), tasks: tasks, turn: make(chan struct{}, 1)}
}

// Samples makes a folder with pictures to try a chore on.
func (m *Maker) Samples(ctx context.Context, r FolderRequest) (Made, error) {
	dir := m.Folder(r.Language)
	out := Made{Path: dir, Files: Count()}
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return out, problem.From(context.Cause(ctx))
	}
	inUse, err := m.worksIn(dir)
	if err != nil {
		return out, problem.From(err)
	}
	if inUse {
		if _, err := os.Stat(dir); err == nil {
			return out, nil
		}
	}
	if err := refill(ctx, dir, r.Language); err != nil {
		return out, problem.From(err)
	}
	return out, nil
}

// refill puts a new folder in the place of one that may be there: whole, or not at
// all.
func refill(ctx context.Context, dir string, l Language) error {
	root := filepath.Dir(dir)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("make a place for sample pictures: %w", err)
	}
	fresh, err := os.MkdirTemp(root, ".new-*")
	if err != nil {
		return fmt.Errorf("make a folder for sample pictures: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := Fill(ctx, fresh, l); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the sample pictures of before: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("put the sample pictures in their place: %w", err)
	}
	return nil
}

// worksIn reports whether a task that is not over has a folder.
func (m *Maker) worksIn(dir string) (bool, error) {
	real, err := share.RealPath(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list, err := m.tasks()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list, func(t task.Task) bool {
		return !t.State.Final() && slices.ContainsFunc(t.Shared(), func(f task.Folder) bool { return f.Path == real })
	}), nil
}

// Folder is where the pictures of a language are.
func (m *Maker) Folder(l Language) string {
	return filepath.Join(m.root, FolderName(l))
}
