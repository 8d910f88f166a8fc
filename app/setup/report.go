// Package setup answers one question: can this computer work, and if not, what
// is the next step? A real boot of the pack's own kernel decides; the checks
// around it only explain. Every failing state is a value ([problem.Problem]),
// so that the window, the command line and tests see the same.
package setup

import (
	"time"

	"piwork/app/problem"
)

// CheckState is the outcome of one check.
type CheckState string

// Outcomes. Unknown means that the check itself could not be made.
const (
	CheckPassed  CheckState = "passed"
	CheckFailed  CheckState = "failed"
	CheckUnknown CheckState = "unknown"
	CheckSkipped CheckState = "skipped" // an earlier failure makes it pointless
)

// Check is one line of `piwork doctor`.
type Check struct {
	Code   string         `json:"code"` // "pack-installed", "pack-verified", "accel-device", "accel-boot", "slow-mode"
	State  CheckState     `json:"state"`
	Params map[string]any `json:"params,omitempty"`
	TookMS int64          `json:"tookMs"`
}

// PackState is the installed runtime pack.
type PackState struct {
	Installed bool   `json:"installed"`
	Version   string `json:"version,omitempty"`
	Verified  bool   `json:"verified"`
	Developer bool   `json:"developer"` // signed by a key of the developer key ring
	Dir       string `json:"dir,omitempty"`
}

// AccelState is what is known about acceleration.
type AccelState struct {
	Kind     string `json:"kind"`               // what tasks use: "kvm", "hvf", "whpx", "tcg", "" when none may be used
	Native   string `json:"native"`             // what this OS offers: "kvm", "hvf" or "whpx"
	Proven   bool   `json:"proven"`             // a boot with Kind reached the agent
	SlowMode bool   `json:"slowMode"`           // Kind is tcg because the person chose it
	ChosenBy string `json:"chosenBy,omitempty"` // of the slow mode: "environment", "flag", "settings"
	BootMS   int64  `json:"bootMs,omitempty"`   // of the proof boot
	SlowMS   int64  `json:"slowMs,omitempty"`   // the same boot in slow mode, when measured
}

// Report is the whole answer.
type Report struct {
	Ready    bool              `json:"ready"`
	Version  string            `json:"version"` // of piwork
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Pack     PackState         `json:"pack"`
	Accel    AccelState        `json:"accel"`
	Checks   []Check           `json:"checks"`
	Problems []problem.Problem `json:"problems"` // the one to fix first is first
	Time     time.Time         `json:"time"`
}
