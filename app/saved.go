package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"piwork/app/chore"
	"piwork/app/durable"
	"piwork/app/problem"
	"piwork/app/task"
)

const (
	savedName = "saved.json" // in the config directory
	maxSaved  = 200          // more than anybody looks through
)

// savedChores is the list of chores that a person wants to do again, kept in a file.
// Its methods may be called from several goroutines at once; what returned nil is on
// the disk.
type savedChores struct {
	file string
	mu   sync.Mutex
	data []byte // of the file
	now  savedFile
}

// savedFile is the content of the file.
type savedFile struct {
	V    int          `json:"v"`
	List []SavedChore `json:"saved"` // newest first
}

// openSaved reads the list; without a file it is empty. A file that cannot be read
// is an error: nothing of it is thrown away.
func openSaved(dir string) (*savedChores, error) {
	s := &savedChores{file: filepath.Join(dir, savedName), now: savedFile{V: 1}}
	data, err := durable.ReadFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s.now)
	}
	if err != nil {
		return nil, fmt.Errorf("read the saved chores in %s: %w", s.file, err)
	}
	s.data = data
	return s, nil
}

func (s *savedChores) all() []SavedChore {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]SavedChore{}, s.now.List...)
}

func (s *savedChores) change(change func([]SavedChore) []SavedChore) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := savedFile{V: s.now.V, List: change(slices.Clone(s.now.List))}
	data, err := durable.MarshalKeeping(s.data, s.now, next)
	if err == nil {
		err = durable.WriteFile(s.file, data)
	}
	if err != nil {
		return fmt.Errorf("write the saved chores to %s: %w", s.file, err)
	}
	s.data, s.now = data, next
	return nil
}

// SavedChores lists them, newest first.
func (c *Controller) SavedChores(context.Context) ([]SavedChore, error) { return c.saved.all(), nil }

// SaveChore saves a chore, in place of one of the same name.
func (c *Controller) SaveChore(ctx context.Context, r SaveChoreRequest) (SavedChore, error) {
	one, err := c.chosen(ctx, r)
	if err != nil {
		return SavedChore{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return SavedChore{}, problem.From(fmt.Errorf("make an id: %w", err))
	}
	one.ID, one.Created = id.String(), c.now().UTC().Truncate(time.Second)
	full := false
	err = c.saved.change(func(list []SavedChore) []SavedChore {
		list = slices.DeleteFunc(list, func(s SavedChore) bool { return strings.EqualFold(s.Name, one.Name) })
		if full = len(list) >= maxSaved; full {
			return list
		}
		return append([]SavedChore{one}, list...)
	})
	switch {
	case err != nil:
		return SavedChore{}, problem.From(err)
	case full:
		return SavedChore{}, badRequest("name", "there are %d saved chores already", maxSaved)
	}
	return one, nil
}

// chosen is what a request wants saved. Folders are not looked at: they may be away
// for the moment.
func (c *Controller) chosen(ctx context.Context, r SaveChoreRequest) (SavedChore, error) {
	one := SavedChore{Name: titleOf(r.Name), Chore: r.Chore, Params: maps.Clone(r.Params), Folders: slices.Clone(r.Folders)}
	if one.Name == "" {
		return one, badRequest("name", "a saved chore needs a name")
	}
	if r.Task != "" {
		t, err := c.Task(ctx, r.Task)
		if err != nil {
			return one, err
		}
		if t.Kind != task.KindChore {
			return one, badRequest("task", "%s is no chore", r.Task)
		}
		one.Chore, one.Params, one.Folders = t.Chore, maps.Clone(t.Params), nil
		for _, f := range t.Folders {
			one.Folders = append(one.Folders, FolderRequest{Path: f.Path, Mode: f.Mode})
		}
	}
	all := chore.All()
	at := slices.IndexFunc(all, func(i chore.Info) bool { return i.Name == one.Chore })
	if at < 0 {
		return one, problem.New(problem.CodeUnknownChore).With("chore", one.Chore)
	}
	if one.Params == nil {
		one.Params = map[string]any{}
	}
	for name := range one.Params {
		known := slices.IndexFunc(all[at].Params, func(p chore.ParamInfo) bool { return p.Name == name })
		if known < 0 || all[at].Params[known].Type == chore.TypePassword {
			delete(one.Params, name)
		}
	}
	if one.Folders == nil {
		one.Folders = []FolderRequest{}
	}
	for _, f := range one.Folders {
		if !filepath.IsAbs(f.Path) {
			return one, badRequest("folders", "%q is not absolute", f.Path)
		}
	}
	return one, nil
}

// RemoveSavedChore forgets one.
func (c *Controller) RemoveSavedChore(_ context.Context, id string) error {
	if !slices.ContainsFunc(c.saved.all(), func(s SavedChore) bool { return s.ID == id }) {
		return problem.New(problem.CodeNotFound).With("id", id)
	}
	err := c.saved.change(func(list []SavedChore) []SavedChore {
		return slices.DeleteFunc(list, func(s SavedChore) bool { return s.ID == id })
	})
	if err != nil {
		return problem.From(err)
	}
	return nil
}
