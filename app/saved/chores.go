// Package saved keeps what a person wants to have again: chores with their parameters
// and folders, and what an AI may do with each folder.
package saved

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

// SavedChore is a chore with its parameters, its folders and where it is to work, to be done
// again. Nothing of it starts by itself.
type SavedChore struct {
	ID      string               `json:"id"`
	Name    string               `json:"name"`
	Chore   string               `json:"chore"`
	Params  map[string]any       `json:"params"` // passwords are not kept
	Folders []task.FolderRequest `json:"folders"`
	Runtime string               `json:"runtime,omitempty" doc:"kind of place that alone will do; without it the best one"`
	Created time.Time            `json:"created"`
	Where   string               `json:"where,omitempty" words:"shown"` // Runtime; never stored
}

// SaveChoreRequest saves a chore: that of a task, or one that is described. One of
// the same name is replaced.
type SaveChoreRequest struct {
	Name    string               `json:"name" minLength:"1" maxLength:"200"`
	Task    string               `json:"task,omitempty" maxLength:"64" doc:"id of a task whose chore, parameters, folders and choice of a place are saved"`
	Chore   string               `json:"chore,omitempty" maxLength:"64"`
	Params  map[string]any       `json:"params,omitempty"`
	Folders []task.FolderRequest `json:"folders,omitempty" maxItems:"64"`
	Runtime string               `json:"runtime,omitempty" maxLength:"64" doc:"kind of place that alone will do; without it the best one"`
}

const (
	savedName = "saved.json" // in the config directory
	maxSaved  = 200          // more than anybody looks through
)

// file is the content of the file with the chores that a person wants to do again.
type file struct {
	V    int          `json:"v"`
	List []SavedChore `json:"saved"` // newest first
}

// List is those that a person wants to do again. It is safe for concurrent use.
type List struct {
	file *settings.File[file]
	task func(id string) (task.Task, error)
	now  func() time.Time
}

// Open reads them from the directory of settings. changed is called after each change.
func Open(dir string, task func(id string) (task.Task, error), now func() time.Time, changed func()) (*List, error) {
	f, err := settings.Open(filepath.Join(dir, savedName), file{V: 1}, changed)
	return &List{f, task, now}, err
}

// SavedChores lists them, newest first.
func (c *List) SavedChores(context.Context) ([]SavedChore, error) {
	return append([]SavedChore{}, c.file.Get().List...), nil
}

// SaveChore saves a chore, for the person in place of one of the same name.
func (c *List) SaveChore(ctx context.Context, r SaveChoreRequest) (SavedChore, error) {
	one, err := c.chosen(ctx, r)
	if err != nil {
		return SavedChore{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return SavedChore{}, problem.From(fmt.Errorf("make an id: %w", err))
	}
	one.ID, one.Created = id.String(), c.now().UTC().Truncate(time.Second)
	err = c.file.Update(func(all *file) error {
		list := slices.DeleteFunc(slices.Clone(all.List), func(s SavedChore) bool { return strings.EqualFold(s.Name, one.Name) })
		if len(list) < len(all.List) && task.ClientOf(ctx) != "" {
			return problem.BadRequest("name", "there is a saved chore %q", one.Name).By("saved-exists").With("name", one.Name)
		}
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

// chosen is what a request wants saved. Folders and the place are not looked at: they may be
// away for the moment.
func (c *List) chosen(ctx context.Context, r SaveChoreRequest) (SavedChore, error) {
	one := SavedChore{Name: task.TitleOf(r.Name), Chore: r.Chore, Params: maps.Clone(r.Params), Folders: slices.Clone(r.Folders), Runtime: r.Runtime}
	if one.Name == "" {
		return one, problem.BadRequest("name", "a saved chore needs a name")
	}
	if r.Task != "" {
		t, err := c.task(r.Task)
		if err != nil {
			return one, err
		}
		if t.Kind != task.KindChore {
			return one, problem.BadRequest("task", "%s is no chore", r.Task)
		}
		one.Chore, one.Params, one.Folders, one.Runtime = t.Chore, maps.Clone(t.Params), nil, ""
		if t.Asked != nil {
			one.Runtime = t.Asked.Runtime
		}
		for _, f := range t.Folders {
			one.Folders = append(one.Folders, task.FolderRequest{Path: f.Path, Mode: f.Mode})
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
		one.Folders = []task.FolderRequest{}
	}
	for _, f := range one.Folders {
		if !filepath.IsAbs(f.Path) {
			return one, problem.BadRequest("folders", "%q is not absolute", f.Path)
		}
	}
	return one, nil
}

// RemoveSavedChore forgets one.
func (c *List) RemoveSavedChore(_ context.Context, id string) error {
	err := c.file.Update(func(all *file) error {
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
