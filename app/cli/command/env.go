// Package command is what the commands of the command line share: the program's streams
// and flags ([Env]), the controller to talk to ([Session]), the task that an id names, and
// how a command ends: its exit code, and what it says of a failure.
package command

import (
	"context"
	"io"
	"io/fs"
	"time"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/cli/terminal"
)

// Options are what main knows. The zero value is the ordinary program.
type Options struct {
	Stdin          io.Reader // nil is os.Stdin; and so on
	Stdout, Stderr io.Writer
	Pages          fs.FS // the built front end, for serve --http
	NoWindow       bool  // this build has none: said where a window was to be expected

	// Open takes the data directory, in this process; nil is that of a process in the
	// background, and app.Open for serve.
	Open func(ctx context.Context, o app.Options) (background.Controller, error)

	// IsTerminal reports whether a stream is a terminal; nil looks at it.
	IsTerminal func(stream any) bool

	CompleteWithin time.Duration // for what could be typed; 0 is as long as a shell waits
}

// Env is one run of the program.
type Env struct {
	*terminal.Terminal
	Options Options
	Version string // of this program
	DataDir string // of --data-dir
	Accel   string // of --accel
	Door    string // by which the command asks, see task.DoorOf; "" is that of the command line
	On      string // of --on: the other computer that the command works on; "" is this one

	other other
}
