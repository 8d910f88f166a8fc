package app

import (
	"path/filepath"

	"piwork/app/audit"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/remotes"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/settings"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/app/upkeep"
)

// choices is the content of config.json: what a person chose for each part of the program.
type choices struct {
	V        int                   `json:"v"`
	SlowMode bool                  `json:"slowMode"`
	Updates  updater.Settings      `json:"updates"`
	Machines machines.Settings     `json:"machines"`
	Undo     history.UndoSettings  `json:"undo"`
	Search   consent.WebSearch     `json:"search"`
	Window   upkeep.WindowSettings `json:"window"`
	Audit    upkeep.AuditSettings  `json:"audit"`
	Wizard   wizard.Memory         `json:"wizard,omitzero"`
	Runtimes runtimes.Settings     `json:"runtimes,omitzero"`
	Remotes  []remotes.Remote      `json:"remotes,omitempty"`
	Sent     telemetry.Settings    `json:"telemetry,omitzero"`
	models.Choices
}

func openChoices(dir string, changed func()) (*settings.File[choices], error) {
	return settings.Open(filepath.Join(dir, settings.ConfigName), choices{
		V: 1, Updates: updater.Settings{Auto: true}, Machines: machines.Settings{Instant: true},
		Undo:   history.UndoSettings{Days: history.DefaultUndoDays, SpaceMB: history.DefaultUndoMB},
		Search: consent.WebSearch{Kind: consent.SearchNone}, Window: upkeep.WindowSettings{Close: upkeep.CloseAsk, Notify: true}, Audit: upkeep.AuditSettings{Days: audit.DefaultDays},
	}, changed)
}

// chosen tells all clients that the person chose something: windows beside the one in
// which that was show it.
func (c *Controller) chosen() {
	c.events.Publish(task.Event{Kind: task.EventSettings, Data: struct{}{}})
}

// settingFacts are the choices, without addresses.
func (c *Controller) settingFacts() map[string]any {
	s := c.config.Get()
	return map[string]any{
		"slowMode": s.SlowMode, "machines": s.Machines, "undo": s.Undo, "audit": s.Audit, "window": s.Window, "ownModel": s.Model != "",
		"updates": map[string]any{"off": !s.Updates.Auto, "urls": len(s.Updates.URLs), "proxy": s.Updates.Proxy != "", "authorities": s.Updates.CAFile != ""},
	}
}
