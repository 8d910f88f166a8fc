package vmhost

import (
	"fmt"
	"io"

	"piwork/vmhost/wire"
)

// MaxToolOutput is how much the programs of an operation are heard to say, and what is
// logged of them, in bytes.
const MaxToolOutput = 80 << 10

// Action is one thing to do in a Runtime: exactly one of its kinds is set. The
// callbacks may be nil; they are called one at a time, before Execute returns,
// and may call the Runtime. One that is slow slows the program down, and in
// time everything else that the guest says.
type Action struct {
	Exec  *wire.ExecParams  // run a program
	Tool  *wire.ToolParams  // run a typed operation of the pack
	File  *wire.FileParams  // read, write, list or watch files
	Fetch *wire.FetchParams // get what is at an address of the web
	Page  *wire.PageParams  // visit the web with a browser

	// Request is the id of the request that asked for it, which the place's own log says; "" for
	// what no request asked for.
	Request string

	// Requires is what whoever asks for the action needs of the place, and Rule what a person
	// allows it in. Where the place lacks something of them, Execute does nothing and returns
	// a [RequirementError].
	Requires, Rule Requirement

	// Data is what File writes.
	Data []byte
	// OnChange gets what File sees as it watches.
	OnChange func(wire.FileChange)

	// Input is the standard input of Exec, as it comes, in place of its Stdin. It is
	// closed when the program is over or takes no more, which has to end a Read under
	// way; the error io.EOF of a Read ends the program's input, any other cancels nothing
	// and ends it too.
	Input io.ReadCloser
	// Resize brings the size of the terminal of Exec whenever it changes; nil for none. A
	// Runtime without terminals refuses Exec.Terminal with an [UnsupportedError].
	Resize <-chan wire.TerminalSize
	// Signal brings signals for the process group of Exec, and on a terminal for that of the
	// program in front, by number as on Linux.
	Signal <-chan int
	// Control is what Exec reads from its control descriptor, as Input is of its standard
	// input. With it Exec.Control is set, and what the program writes to its own comes to
	// OnOutput as the stream wire.Control, after everything that it wrote before.
	Control io.ReadCloser

	// OnStart hears that the program of Exec runs.
	OnStart func()
	// OnOutput gets output as it comes, and may keep its data. Without it the Observation of Exec holds it; of
	// Tool, which has at most MaxToolOutput bytes, it is dropped.
	OnOutput   func(wire.ExecOutput)
	OnProgress func(wire.ToolProgress) // Tool: items done
}

// Observation is what came of an Action: the kind that was asked for is set.
type Observation struct {
	Exec  *wire.ExecResult
	Tool  *wire.ToolResult
	File  *wire.FileResult
	Fetch *wire.FetchResult
	Page  *wire.PageResult
}

// FailedActionError is returned by Execute for an action on files or on the web that could
// not be done. The Runtime stays ready.
type FailedActionError struct {
	What string // e.g. wire.FileRead, "fetch"
	wire.ActFailure
}

func (e *FailedActionError) Error() string {
	return fmt.Sprintf("%s %s: %s: %s", e.What, e.Path, e.Code, e.Detail)
}
