package app

import (
	"path/filepath"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/runtimepack/updater"

	"piwork/app/settings"
	"piwork/app/setup/wizard"
)

const configName = "config.json"

// choices is the content of config.json: what a person chose for each part of the program.
type choices struct {
	V        int                  `json:"v"`
	SlowMode bool                 `json:"slowMode"`
	Updates  updater.Settings     `json:"updates"`
	Machines machines.Settings    `json:"machines"`
	Undo     history.UndoSettings `json:"undo"`
	Search   WebSearch            `json:"search"`
	Window   WindowSettings       `json:"window"`
	Wizard   wizard.Memory        `json:"wizard,omitzero"`
	models.Choices
}

func openChoices(dir string) (*settings.File[choices], error) {
	return settings.Open(filepath.Join(dir, configName), choices{
		V: 1, Updates: updater.Settings{Auto: true}, Machines: machines.Settings{Instant: true},
		Undo:   history.UndoSettings{Days: history.DefaultUndoDays, SpaceMB: history.DefaultUndoMB},
		Search: WebSearch{Kind: SearchNone}, Window: WindowSettings{Close: CloseAsk, Notify: true},
	})
}
