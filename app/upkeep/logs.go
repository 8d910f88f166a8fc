package upkeep

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
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
// after it: "<task>.console.log". What lies deeper is no log: it is where programs work.
func (u *Upkeep) logFiles() ([]logFile, error) {
	out, dirs, err := logsIn(u.o.Machines)
	for _, d := range dirs {
		files, _, derr := logsIn(filepath.Join(u.o.Machines, d))
		err = errors.Join(err, derr)
		for _, f := range files {
			f.Name = d + "." + f.Name
			if task.ValidID(d) {
				f.Task = d
			}
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b logFile) int { return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Name, b.Name)) })
	return out, err
}

// logsIn lists the logs and the directories of one directory. One that is gone has none.
func logsIn(dir string) (files []logFile, dirs []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
			dirs = append(dirs, e.Name())
		case e.Type().IsRegular() && machines.IsLog(e.Name()):
			if info, err := e.Info(); err == nil { // else it is gone meanwhile
				files = append(files, logFile{path: filepath.Join(dir, e.Name()), LogInfo: LogInfo{Name: e.Name(), Bytes: info.Size(), Changed: info.ModTime().UTC()}})
			}
		}
	}
	return files, dirs, err
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
