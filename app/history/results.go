package history

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/changes"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/online"
)

// OpenedDir has copies of results that windows opened. It is in the directory of what can be
// made again.
const OpenedDir = "opened"

// OpenResult opens a file that a task made. It never leaves the
// folder: a link that leads out is refused.
func (h *History) OpenResult(ctx context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error) {
	t, err := h.o.Store.Get(id)
	if err != nil {
		return nil, task.Result{}, registry.Problem(id, err)
	}
	if index < 0 || index >= len(t.Results) {
		return nil, task.Result{}, problem.New(problem.CodeNotFound).With("task", id).With("result", index)
	}
	r := t.Results[index]
	dir, open := h.o.Store.ResultsDir(id), os.OpenRoot
	if r.Folder != "" {
		at := slices.IndexFunc(t.Folders, func(f task.Folder) bool { return f.ID == r.Folder })
		if at < 0 {
			return nil, r, problem.New(problem.CodeNotFound).With("task", id).With("result", index)
		}
		dir, open = t.Folders[at].Path, share.OpenReal // whoever may change what is above it could have made a link of it
	}
	if waits, err := h.waitingResult(ctx, t, r); err != nil || waits != nil {
		return waits, r, err
	}
	f, err := drive.Await(ctx, dir, func() (*os.File, error) {
		root, err := open(dir)
		if err != nil {
			return nil, err
		}
		return openInside(root, r.Path)
	}, func(f *os.File) { _ = f.Close() })
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, r, problem.New(problem.CodeNotFound).With("task", id).With("path", r.Path).Because(err)
		}
		return nil, r, problem.From(err)
	}
	return f, r, nil
}

// waitingResult opens a result that waits in front of its folder; nil when it does
// not.
func (h *History) waitingResult(ctx context.Context, t task.Task, r task.Result) (io.ReadSeekCloser, error) {
	for _, f := range t.Folders {
		if f.ID != r.Folder || f.Mode != task.ModeReview {
			continue
		}
		list, err := h.Changes(ctx, t.ID)
		if err != nil {
			return nil, err
		}
		if change, waits := Waiting(list, r); waits {
			file, _, err := h.OpenChange(ctx, t.ID, change.ID, changes.After)
			return file, err
		}
	}
	return nil, nil
}

// Waiting finds the change by which a result waits in front of its folder, of those of its task.
func Waiting(list []journal.Change, r task.Result) (journal.Change, bool) {
	i := slices.IndexFunc(list, func(c journal.Change) bool { return c.Staged && c.Folder == r.Folder && c.Path == r.Path })
	if i < 0 {
		return journal.Change{}, false
	}
	return list[i], true
}

// openInside opens a regular file below a directory, which it closes.
func openInside(root *os.Root, rel string) (*os.File, error) {
	defer root.Close()
	name := filepath.FromSlash(rel)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if file, _ := online.Of(filepath.Join(root.Name(), name), info); !file { // opening a pipe would wait for its other end
		return nil, problem.New(problem.CodeFileKind).With("path", rel)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	if again, err := f.Stat(); err != nil || !os.SameFile(info, again) {
		_ = f.Close()
		return nil, problem.New(problem.CodeChangedSince).By("meanwhile").With("path", rel).Because(err)
	}
	return f, nil
}
