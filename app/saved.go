package app

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
)

const (
	savedName = "saved.json" // in the config directory
	maxSaved  = 200          // more than anybody looks through
)

// savedFile is the content of the file with the chores that a person wants to do again.
type savedFile struct {
	V    int          `json:"v"`
	List []SavedChore `json:"saved"` // newest first
}

func openSaved(dir string) (*settings.File[savedFile], error) {
	return settings.Open(filepath.Join(dir, savedName), savedFile{V: 1})
}

// SavedChores lists them, newest first.
func (c *Controller) SavedChores(context.Context) ([]SavedChore, error) {
	return append([]SavedChore{}, c.saved.Get().List...), nil
}

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
	err = c.saved.Update(func(all *savedFile) error {
		list := slices.DeleteFunc(slices.Clone(all.List), func(s SavedChore) bool { return strings.EqualFold(s.Name, one.Name) })
		if len(list) >= maxSaved {
			return problem.BadRequest("name", "there are %d saved chores already", maxSaved)
		}
		all.List = append([]SavedChore{one}, list...)
		return nil
	})
	if err != nil {
		return SavedChore{}, problem.From(err)
	}
	return one, nil
}

// chosen is what a request wants saved. Folders are not looked at: they may be away
// for the moment.
func (c *Controller) chosen(ctx context.Context, r SaveChoreRequest) (SavedChore, error) {
	one := SavedChore{Name: titleOf(r.Name), Chore: r.Chore, Params: maps.Clone(r.Params), Folders: slices.Clone(r.Folders)}
	if one.Name == "" {
		return one, problem.BadRequest("name", "a saved chore needs a name")
	}
	if r.Task != "" {
		t, err := c.Task(ctx, r.Task)
		if err != nil {
			return one, err
		}
		if t.Kind != task.KindChore {
			return one, problem.BadRequest("task", "%s is no chore", r.Task)
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
			return one, problem.BadRequest("folders", "%q is not absolute", f.Path)
		}
	}
	return one, nil
}

// RemoveSavedChore forgets one.
func (c *Controller) RemoveSavedChore(_ context.Context, id string) error {
	err := c.saved.Update(func(all *savedFile) error {
		list := slices.DeleteFunc(slices.Clone(all.List), func(s SavedChore) bool { return s.ID == id })
		if len(list) == len(all.List) {
			return problem.New(problem.CodeNotFound).With("id", id)
		}
		all.List = list
		return nil
	})
	if err != nil {
		return problem.From(err)
	}
	return nil
}
