package chore

import (
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// PlanVersion is the "v" of Plan.
const PlanVersion = 1

// Effect is what an operation does to a file.
type Effect string

// Effects, the strongest last.
const (
	EffectCreate Effect = "create"
	EffectMove   Effect = "move"
	EffectChange Effect = "change"
	EffectDelete Effect = "delete"
)

// Plan is what a chore will do, computed read-only in the VM. Run does exactly
// that; an input that changed since is a conflict (exit 6).
type Plan struct {
	V          int               `json:"v"`
	Chore      string            `json:"chore"`
	Params     map[string]any    `json:"params"`
	Operations []Operation       `json:"operations"`
	Limits     wire.Limits       `json:"limits,omitzero"`
	Needs      []string          `json:"needs"`             // add-ons of the pack
	Skipped    []problem.Problem `json:"skipped,omitempty"` // inputs that are left out, and why
	Online     *Online           `json:"online,omitempty"`  // what it reads that is only with a cloud service; nil for nothing

	// The words, which package words writes where a plan is shown; never stored.
	Title   string `json:"title,omitempty" words:"shown"`   // of its chore
	Summary string `json:"summary,omitempty" words:"shown"` // all of it in one line
	Run     string `json:"run,omitempty" words:"shown"`     // of the button that carries it out
}

// Operation is one step of a plan.
type Operation struct {
	Op     string  `json:"op"` // of pack/tools
	In     []Input `json:"in"`
	Kept   *Kept   `json:"kept,omitempty"`  // the copy that stays, for which a duplicate is set aside
	Sheet  string  `json:"sheet,omitempty"` // of a workbook with several
	Out    string  `json:"out"`             // in the guest, e.g. /folders/Photos/Pictures.pdf
	Effect Effect  `json:"effect"`
	Makes  *Makes  `json:"makes,omitempty"` // where it is known before
}

// Kept is a file that must be as the plan saw it although nothing is done to it.
type Kept struct {
	Path  string `json:"path"`  // in the guest, e.g. /folders/Photos/a.jpg
	Size  int64  `json:"size"`  // bytes
	MTime string `json:"mtime"` // RFC 3339, UTC
}

// Makes is how much an operation makes.
type Makes struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	Times int64 `json:"times,omitempty"` // how many times as large an archive becomes, or the file in it that grows most
}

// Input is a file as the plan saw it: by its content, where an operation reads
// it, or by its size and time, where it is only moved.
type Input struct {
	Path   string `json:"path"` // in the guest, e.g. /folders/Photos/a.jpg
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`  // bytes
	MTime  string `json:"mtime,omitempty"` // RFC 3339, UTC
}
