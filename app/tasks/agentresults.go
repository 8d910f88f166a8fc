package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"piwork/app/filename"
	"piwork/app/task"
)

// Bounds of what an agent puts aside for the person.
const (
	agentResults    = "results" // in the state directory
	maxAgentResults = 500       // files
)

// keepAgentResults takes what the agent put into /state/results over into the
// task's results. The guest made names and links there: nothing is followed, and
// what is no ordinary file is left. A file of the same name as one before replaces
// it.
func (l *conversation) keepAgentResults(b *environment) error {
	state, err := os.OpenRoot(b.state)
	if err != nil {
		return fmt.Errorf("look at the results of the agent: %w", err)
	}
	defer state.Close()
	root, err := state.OpenRoot(agentResults) // a link that the guest put there leads nowhere else
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the results of the agent: %w", err)
	}
	defer root.Close()
	have := map[string]task.Result{}
	for _, r := range l.last.Load().Results {
		if r.Folder == "" {
			have[r.Path] = r
		}
	}
	var made []task.Result
	left := 0
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || !d.Type().IsRegular():
			return nil
		case len(made) == maxAgentResults:
			left++
			return nil
		}
		r, err := l.keepAgentResult(root, p)
		if err != nil {
			return err
		}
		if old, ok := have[r.Path]; !ok || old != r {
			made = append(made, r)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep the results of the agent: %w", err)
	}
	if left > 0 {
		l.Record(task.EventNotice, task.NoticeData{Code: "results-left", Params: map[string]any{"count": left, "max": maxAgentResults}})
	}
	l.replaceResults(made)
	return nil
}

// keepAgentResult copies one file: it appears whole or not at all.
func (l *conversation) keepAgentResult(root *os.Root, p string) (task.Result, error) {
	in, err := root.OpenFile(filepath.FromSlash(p), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return task.Result{}, err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return task.Result{}, errors.Join(err, fmt.Errorf("%s is no ordinary file any more", p))
	}
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = filename.Plain(parts[i], "result")
	}
	name := path.Join(parts...)
	to := filepath.Join(l.c.o.Store.ResultsDir(l.id), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return task.Result{}, err
	}
	tmp, err := os.CreateTemp(l.c.o.Store.ResultsDir(l.id), ".result-*")
	if err != nil {
		return task.Result{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, sum), io.LimitReader(in, MaxKept))
	if err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	if err != nil {
		return task.Result{}, err
	}
	return task.Result{Path: name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}
