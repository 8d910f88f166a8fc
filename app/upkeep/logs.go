package upkeep

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
	"slices"
)

// logFile is a log and where it lies.
type logFile struct {
	LogInfo
	path string
}

// Logs lists what machines wrote.
func (u *Upkeep) Logs(context.Context) (Logs, error) {
	files, err := u.logFiles()
	if err != nil {
		return Logs{}, problem.From(err)
	}
	out := Logs{Logs: make([]LogInfo, 0, len(files))}
	for _, f := range files {
		out.Logs = append(out.Logs, f.LogInfo)
	}
	return out, nil
}

// logFiles lists the logs, the newest first. Those of a task's machine are named
// after it: "<task>.console.log".
func (u *Upkeep) logFiles() ([]logFile, error) {
	root := u.o.Machines
	var out []logFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || !machines.IsLog(d.Name()) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // gone meanwhile
		}
		f := logFile{path: path, LogInfo: LogInfo{Name: d.Name(), Bytes: info.Size(), Changed: info.ModTime().UTC()}}
		if dir := filepath.Dir(path); dir != root {
			owner := filepath.Base(dir)
			f.Name = owner + "." + f.Name
			if task.ValidID(owner) {
				f.Task = owner
			}
		}
		out = append(out, f)
		return nil
	})
	slices.SortStableFunc(out, func(a, b logFile) int { return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Name, b.Name)) })
	return out, err
}

// Log returns the end of a log. A name is one of the list, never a
// path.
func (u *Upkeep) Log(_ context.Context, name string, tail int64) ([]byte, error) {
	files, err := u.logFiles()
	if err != nil {
		return nil, problem.From(err)
	}
	i := slices.IndexFunc(files, func(f logFile) bool { return f.Name == name })
	if i < 0 {
		return nil, problem.New(problem.CodeNotFound).With("log", name)
	}
	if tail <= 0 {
		tail = DefaultTail
	}
	data, err := tailOf(files[i].path, min(tail, MaxTail))
	if err != nil {
		return nil, problem.From(err)
	}
	return data, nil
}

// tailOf reads the last n bytes of a file.
func tailOf(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, info.Size()-n), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, n)) // it may grow meanwhile
}
