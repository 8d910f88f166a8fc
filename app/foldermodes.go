package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
)

const (
	folderModesName = "folders.json" // in the config directory
	maxFolderModes  = 500            // the oldest choice goes first
)

// folderModes remembers what a person lets an AI do with each folder. A folder without
// a choice is reviewed first: its changes wait for the person.
//
//	{"v":1,"folders":[{"path":"/home/anna/Notes","mode":"rw"}]}
type folderModes struct {
	file *settings.File[folderModesFile]
}

type folderModesFile struct {
	V    int            `json:"v"`
	List []FolderChoice `json:"folders"` // newest first
}

func openFolderModes(dir string) (*folderModes, error) {
	f, err := settings.Open(filepath.Join(dir, folderModesName), folderModesFile{V: 1})
	return &folderModes{f}, err
}

// of returns how an AI task gets a folder, a real path, when nothing else is asked for.
func (m *folderModes) of(path string) task.Mode {
	for _, f := range m.file.Get().List {
		if f.Path == path && (f.Mode == task.ModeReadWrite || f.Mode == task.ModeReadOnly) {
			return f.Mode
		}
	}
	return task.ModeReview
}

// choose remembers choices, the newest first.
func (m *folderModes) choose(choices []FolderChoice) error {
	same := errors.New("nothing is new")
	err := m.file.Update(func(all *folderModesFile) error {
		list := slices.DeleteFunc(slices.Clone(all.List), func(old FolderChoice) bool {
			return slices.ContainsFunc(choices, func(f FolderChoice) bool { return f.Path == old.Path })
		})
		list = append(slices.Clone(choices), list...)
		list = list[:min(len(list), maxFolderModes)]
		if slices.Equal(list, all.List) {
			return same
		}
		all.List = list
		return nil
	})
	if errors.Is(err, same) {
		return nil
	}
	return err
}

// FolderChoices lists what a person chose for folders, newest first.
func (c *Controller) FolderChoices(context.Context) ([]FolderChoice, error) {
	return append([]FolderChoice{}, c.folderModes.file.Get().List...), nil
}

// rememberFolders remembers what the person chose for the folders of an AI task that was
// started. A choice that cannot be written is asked for again the next time.
func (c *Controller) rememberFolders(r StartRequest, t task.Task) {
	if r.Kind != task.KindAI || r.Chore != "" || r.PlanOnly || r.upload != nil {
		return
	}
	var choices []FolderChoice
	for i, f := range r.Folders {
		if f.Mode != "" {
			choices = append(choices, FolderChoice{Path: t.Folders[i].Path, Mode: t.Folders[i].Mode})
		}
	}
	if len(choices) > 0 {
		c.rememberChoices(choices)
	}
}

func (c *Controller) rememberChoices(choices []FolderChoice) {
	if err := c.folderModes.choose(choices); err != nil {
		c.log.Warn("what was chosen for folders is not remembered", "error", problem.From(err))
	}
}
