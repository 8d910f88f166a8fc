// Package order is what the agent and the process that carries out a typed
// operation (package operate) say to each other, and all that the agent knows
// of it: libraries for archives, tables and metadata stay out of the program
// that the guest boots from.
//
// The agent writes one [Order] as JSON to the process's stdin and closes it. The
// process writes [Event] lines (JSON, one per line) to stdout, its own words to
// stderr, and ends. Both are of one pack, so there is no version to agree on.
package order

import (
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Program is the path of cmd/piwork-operate in the guest's root.
const Program = wire.ActionProgram

// CleanArg is the first argument of a process that only removes a temporary
// file; the path is the second. Without arguments the process takes an order.
const CleanArg = "clean"

// EmptyArg is the first argument of a process that removes what is in a scratch
// directory, the second; a process that took an order does so itself.
const EmptyArg = "empty"

// WaitArg is the only argument of a process that is started before there is an
// order: it writes a line feed when it is ready to read one, and ends without one.
const WaitArg = "wait"

// MaxSaid is how much of what the programs of an operation write to stderr its caller
// hears, in bytes.
const MaxSaid = 64 << 10

// Order is what the process is to do.
type Order struct {
	Tool    wire.ToolParams `json:"tool"`
	Scratch string          `json:"scratch"` // an empty directory of its own, on a disk with room
	// Keep is a directory for what the next process needs to go on with an answer that
	// came in part; "" keeps nothing.
	Keep string `json:"keep,omitempty"`
}

// Event is one line of the process. One member is set.
type Event struct {
	Load     *tools.Load        `json:"load,omitempty"`     // how much there is to do, once it is known
	Progress *wire.ToolProgress `json:"progress,omitempty"` // an item is done
	Placing  *string            `json:"placing,omitempty"`  // a temporary file stands beside the target; "" when it does no more
	Ran      *Ran               `json:"ran,omitempty"`      // a program ended
	Said     []byte             `json:"said,omitempty"`     // a piece of what programs wrote to stderr, for the caller only
	Result   *wire.ToolResult   `json:"result,omitempty"`   // the last one
}

// Ran is what is kept of a run of a program, for a log: nothing of its words or
// its arguments themselves, which may have secrets and names of files.
type Ran struct {
	Program      string `json:"program"`
	ArgsSHA256   string `json:"argsSha256"`
	WallMS       int64  `json:"wallMs"`
	ExitCode     int    `json:"exitCode"` // 128+n when ended by signal n
	Timeout      bool   `json:"timeout,omitempty"`
	StderrBytes  int64  `json:"stderrBytes"`
	StderrSHA256 string `json:"stderrSha256"` // of all of it
}
