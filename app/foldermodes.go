package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"piwork/app/durable"
	"piwork/app/problem"
	"piwork/app/task"
)

const (
	folderModesName = "folders.json" // in the config directory
	maxFolderModes  = 500            // the oldest choice goes first
)

// folderModes remembers what a person lets an AI do with each folder. A folder without
// a choice is reviewed first: its changes wait for the person. Its methods may be called
// from several goroutines at once; what returned nil is on the disk.
//
//	{"v":1,"folders":[{"path":"/home/anna/Notes","mode":"rw"}]}
type folderModes struct {
	file string
	mu   sync.Mutex
	data []byte // of the file
	now  folderModesFile
}

type folderModesFile struct {
	V    int            `json:"v"`
	List []FolderChoice `json:"folders"` // newest first
}

// openFolderModes reads the choices; without a file there are none. A file that cannot
// be read is an error: nothing of it is thrown away.
func openFolderModes(dir string) (*folderModes, error) {
	m := &folderModes{file: filepath.Join(dir, folderModesName), now: folderModesFile{V: 1}}
	data, err := os.ReadFile(m.file)
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m.now)
	}
	if err != nil {
		return nil, fmt.Errorf("read the choices about folders in %s: %w", m.file, err)
	}
	m.data = data
	return m, nil
}

func (m *folderModes) all() []FolderChoice {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]FolderChoice{}, m.now.List...)
}

// of returns how an AI task gets a folder, a real path, when nothing else is asked for.
func (m *folderModes) of(path string) task.Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.now.List {
		if f.Path == path && (f.Mode == task.ModeReadWrite || f.Mode == task.ModeReadOnly) {
			return f.Mode
		}
	}
	return task.ModeReview
}

// choose remembers choices, the newest first.
func (m *folderModes) choose(choices []FolderChoice) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(m.now.List), func(old FolderChoice) bool {
		return slices.ContainsFunc(choices, func(f FolderChoice) bool { return f.Path == old.Path })
	})
	list = append(slices.Clone(choices), list...)
	next := folderModesFile{V: m.now.V, List: list[:min(len(list), maxFolderModes)]}
	if slices.Equal(next.List, m.now.List) {
		return nil
	}
	data, err := durable.MarshalKeeping(m.data, m.now, next)
	if err == nil {
		err = durable.WriteFile(m.file, data)
	}
	if err != nil {
		return fmt.Errorf("write the choices about folders to %s: %w", m.file, err)
	}
	m.data, m.now = data, next
	return nil
}

// FolderChoices lists what a person chose for folders, newest first.
func (c *Controller) FolderChoices(context.Context) ([]FolderChoice, error) {
	return c.folderModes.all(), nil
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
