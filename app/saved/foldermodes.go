package saved

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
)

// FolderChoice is what an AI may do with a folder.
type FolderChoice struct {
	Path string    `json:"path"` // absolute, without links
	Mode task.Mode `json:"mode"`
}

const (
	modesName = "folders.json" // in the config directory
	maxModes  = 500            // the oldest choice goes first
)

// FolderModes remembers what a person lets an AI do with each folder. A folder without
// a choice is reviewed first: its changes wait for the person.
//
//	{"v":1,"folders":[{"path":"/home/anna/Notes","mode":"rw"}]}
type FolderModes struct {
	file *settings.File[modesFile]
	log  *slog.Logger
}

type modesFile struct {
	V    int            `json:"v"`
	List []FolderChoice `json:"folders"` // newest first
}

// OpenFolderModes reads them from the directory of settings. changed is called after each
// change.
func OpenFolderModes(dir string, log *slog.Logger, changed func()) (*FolderModes, error) {
	f, err := settings.Open(filepath.Join(dir, modesName), modesFile{V: 1}, changed)
	return &FolderModes{f, log}, err
}

// Of returns how an AI task gets a folder, a real path, when nothing else is asked for.
func (m *FolderModes) Of(path string) task.Mode {
	for _, f := range m.file.Get().List {
		if f.Path == path && (f.Mode == task.ModeReadWrite || f.Mode == task.ModeReadOnly) {
			return f.Mode
		}
	}
	return task.ModeReview
}

// choose remembers choices, the newest first.
func (m *FolderModes) choose(choices []FolderChoice) error {
	same := errors.New("nothing is new")
	err := m.file.Update(func(all *modesFile) error {
		list := slices.DeleteFunc(slices.Clone(all.List), func(old FolderChoice) bool {
			return slices.ContainsFunc(choices, func(f FolderChoice) bool { return f.Path == old.Path })
		})
		list = append(slices.Clone(choices), list...)
		list = list[:min(len(list), maxModes)]
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
func (m *FolderModes) FolderChoices(context.Context) ([]FolderChoice, error) {
	return append([]FolderChoice{}, m.file.Get().List...), nil
}

// Remember remembers choices. One that cannot be written is asked for again the next
// time.
func (m *FolderModes) Remember(choices []FolderChoice) {
	if err := m.choose(choices); err != nil {
		m.log.Warn("what was chosen for folders is not remembered", "error", problem.From(err))
	}
}
