// Package setup answers one question: can this computer work, and if not, what
// is the next step? Every failing state is a value ([problem.Problem]), so that
// the window, the command line and tests see the same.
//
// # The proof decides, the checks explain
//
// A real boot of the pack's own kernel decides ([Options].Prove). What can be
// looked at without one ([Facts]: processor, firmware, feature of the system,
// device, permission, other programs) never makes a computer ready or not; it
// only says why a boot failed. Where a boot succeeded, what was seen does not
// matter.
//
// # One cause
//
// Of everything that speaks against acceleration one cause leads: the first of
// an explicit table for each accelerator that applies (KVM, HVF, WHPX; see
// causes.go). The tables go from the hardware up, because what is deeper must
// be mended first, and evidence from the device itself comes before what is
// concluded. At most one check fails, that of the cause; those above it are
// skipped. A test goes through all combinations of facts and finds no two that
// contradict each other. A check that could not be made says so, and nothing is
// concluded from it.
//
// # Where facts come from
//
// look_linux.go, look_darwin.go and look_windows.go ask the system and conclude
// nothing; kvm.go, hvf.go and whpx.go conclude and ask nothing, and are compiled
// everywhere: the states of all three systems are tested on each. No look needs an
// administrator, starts a program, or changes anything.
//
// # Slow mode
//
// It is chosen by a person, never by piwork. It is offered only where it was seen
// to work: when acceleration fails its boot, the slow mode is booted too, and the
// time it took is part of the offer.
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
	Code   string         `json:"code"` // CheckPackInstalled and so on
	Said   string         `json:"said,omitempty" words:"shown"`
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
	Flavour   string `json:"flavour,omitempty"` // "own", "stock"
	// Missing are abilities that packs of other flavours have (spec.Abilities).
	Missing []string `json:"missing,omitempty"`
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

// Err is the problem of a report that says that nothing can be started; nil when it is
// ready.
func (r Report) Err() error {
	if r.Ready {
		return nil
	}
	for i := range r.Problems {
		if r.Problems[i].Severity == problem.Blocking {
			return &r.Problems[i]
		}
	}
	return problem.New(problem.CodeNotChecked)
}
