package aitask

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
	"slices"
	"strings"

	"piwork/app/filename"
	"piwork/app/task"
)

// Bounds of what an agent puts aside for the person.
const (
	agentResults    = "results" // in the state directory
	maxAgentResults = 500       // files
	maxAgentResult  = 1 << 30   // bytes of one file; what comes after is not kept
)

// keepAgentResults takes what the agent put into /state/results, in dir on the host, over into the
// task's results. The guest made names and links there: nothing is followed, and
// what is no ordinary file is left. A file of the same name as one before replaces
// it.
func (c *Conversation) keepAgentResults(dir string) error {
	state, err := os.OpenRoot(dir)
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
	for _, r := range c.o.Last().Results {
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
		r, err := c.keepAgentResult(root, p)
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
		c.o.Record(task.EventNotice, task.NoticeData{Code: "results-left", Params: map[string]any{"count": left, "max": maxAgentResults}})
	}
	c.replaceResults(made)
	return nil
}

// keepAgentResult copies one file: it appears whole or not at all.
func (c *Conversation) keepAgentResult(root *os.Root, p string) (task.Result, error) {
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
	to := filepath.Join(c.o.Store.ResultsDir(c.o.ID), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return task.Result{}, err
	}
	tmp, err := os.CreateTemp(c.o.Store.ResultsDir(c.o.ID), ".result-*")
	if err != nil {
		return task.Result{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, sum), io.LimitReader(in, maxAgentResult))
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

// replaceResults records files of the task's own results, in place of those of the
// same names.
func (c *Conversation) replaceResults(made []task.Result) {
	if len(made) == 0 {
		return
	}
	if _, err := c.o.Update(func(t *task.Task) {
		t.Results = slices.DeleteFunc(slices.Clone(t.Results), func(r task.Result) bool {
			return r.Folder == "" && slices.ContainsFunc(made, func(m task.Result) bool { return m.Path == r.Path })
		})
		t.Results = append(t.Results, made...)
	}); err != nil {
		c.o.Log.Error("what came of a task could not be written", "error", err)
	}
	for _, r := range made {
		c.o.Record(task.EventResult, r)
	}
}
