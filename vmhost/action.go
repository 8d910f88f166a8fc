package vmhost

import (
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
	Exec *wire.ExecParams // run a program
	Tool *wire.ToolParams // run a typed operation of the pack

	// Input is the standard input of Exec, as it comes, in place of its Stdin. It is
	// closed when the program is over, which has to end a Read under way; the error
	// io.EOF of a Read ends the program's input, any other cancels nothing and ends
	// it too.
	Input io.ReadCloser
	// Resize brings the size of the terminal of Exec whenever it changes; nil for none. A
	// Runtime without terminals refuses Exec.Terminal with an [UnsupportedError].
	Resize <-chan wire.TerminalSize

	// OnOutput gets output as it comes. Without it the Observation of Exec holds it; of
	// Tool, which has at most MaxToolOutput bytes, it is dropped.
	OnOutput   func(wire.ExecOutput)
	OnProgress func(wire.ToolProgress) // Tool: items done
}

// Observation is what came of an Action: the kind that was asked for is set.
type Observation struct {
	Exec *wire.ExecResult
	Tool *wire.ToolResult
}
