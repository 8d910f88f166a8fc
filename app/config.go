package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"piwork/app/capacity"
	"piwork/app/durable"
	"piwork/app/setup/wizard"
)

const configName = "config.json"

// settings is the content of config.json. Members that this program does not
// know are kept.
type settings struct {
	V        int            `json:"v"`
	SlowMode bool           `json:"slowMode"`
	Updates  updateSettings `json:"updates,omitzero"`
	Machines machineChoice  `json:"machines,omitzero"`
	Undo     undoChoice     `json:"undo,omitzero"`
	Model    string         `json:"model,omitempty"` // "<provider>/<model>"; "" has it chosen
	// What a person said of models of services of their own, by "<provider>/<model>".
	Models   map[string]ModelSaid `json:"models,omitempty"`
	KeyStore string               `json:"keyStore,omitempty"` // "file"; "" is the keychain
	Search   WebSearch            `json:"search,omitzero"`
	Window   windowChoice         `json:"window,omitzero"`
	Wizard   wizard.Memory        `json:"wizard,omitzero"`
	Host     string               `json:"host,omitempty"` // what services where one signs in know this computer by
}

// undoChoice says for how long changes can be taken back. Not having chosen is
// defaultUndoDays and defaultUndoMB.
type undoChoice struct {
	SpaceMB int  `json:"spaceMb,omitempty"` // of one task
	Days    int  `json:"days,omitempty"`    // after the end of a task
	Forever bool `json:"forever,omitempty"`
}

// machineChoice are the choices about machines. Not having chosen is to leave all
// of it to the program.
type machineChoice struct {
	capacity.Choice
	NoInstant bool      `json:"noInstant,omitempty"`
	Share     ShareKind `json:"share,omitempty"`
}

// updateSettings are the choices about updates. Not having chosen is to have
// them.
type updateSettings struct {
	Off    bool     `json:"off,omitempty"`
	URLs   []string `json:"urls,omitempty"`
	Proxy  string   `json:"proxy,omitempty"` // without a password: no secret is kept here
	CAFile string   `json:"caFile,omitempty"`
}

// configFile holds the settings of the person.
type configFile struct {
	path string
	mu   sync.Mutex
	data []byte // as read or written last
	now  settings
}

// openConfig reads the settings; without a file they are the defaults. A file
// that cannot be read is an error: nothing of it is thrown away.
func openConfig(dir string) (*configFile, error) {
	c := &configFile{path: filepath.Join(dir, configName), now: settings{V: 1}}
	data, err := durable.ReadFile(c.path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &c.now)
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings in %s: %w", c.path, err)
	}
	c.data = data
	return c, nil
}

func (c *configFile) get() settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *configFile) set(change func(*settings)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.now
	change(&s)
	data, err := durable.MarshalKeeping(c.data, c.now, s)
	if err == nil {
		err = durable.WriteFile(c.path, data)
	}
	if err != nil {
		return fmt.Errorf("write the settings to %s: %w", c.path, err)
	}
	c.data, c.now = data, s
	return nil
}
