// Package agentkit is what pi, the AI program of the pack, is started with in the
// guest: the extension that has the host run commands, the one that has the host read
// the web, and the part of the system prompt that is the same for every task. The
// files are embedded here and laid into a task's state directory by the host
// (app/agent). What is the same for every task is named here for the guest too,
// which has a Node wait that has loaded pi ([Load]).
//
// # Who decides about commands
//
// pi runs no command. Its tool sends the text to the host (POST to [PathCommand] where
// the model is reached, too), which judges it, asks the person where that is needed,
// and then starts it in the guest itself, as the same user as pi and beside it. A
// command reaches no process of pi's: neither its standard input, its memory nor Node's
// debugger (package execution). It does reach pi's files, and the host as pi does: so no
// answer passes through pi that could be forged there. That folders, deletions and the network are
// guarded is the work of the host, which the guest cannot pass, whatever is answered
// to a question about a command.
package agentkit

import _ "embed"

// PathCommand is where the host takes commands, below wire.GatewayAddr.
const PathCommand = "/piwork/command"

// Names of the extensions that pi is told to load.
const (
	Main = "commands.cjs" // always
	Web  = "web.cjs"      // where a task has tools for the web
)

// Tools of [Web].
const (
	ToolFetch  = "web_fetch"
	ToolSearch = "web_search"
)

// CommandRequest is what the host is asked to run.
type CommandRequest struct {
	Command string  `json:"command"`           // as Bash gets it
	Timeout float64 `json:"timeout,omitempty"` // seconds; 0 is none
}

// CommandAnswer is one line of the host's answer. Output comes as it is made; the
// last line has Exit, Ended or Error.
type CommandAnswer struct {
	Data  []byte        `json:"data,omitempty"`  // of both streams
	Exit  *int          `json:"exit,omitempty"`  // 128+n when ended by signal n
	Ended string        `json:"ended,omitempty"` // as wire.ExecResult
	Error *CommandError `json:"error,omitempty"`
}

// CommandError says why a command did not run, or did not run to its end.
type CommandError struct {
	Message string `json:"message"` // for the model
}

//go:embed commands.cjs
var commands []byte

//go:embed web.cjs
var web []byte

// Prompt is the part of the system prompt that is the same for every task.
//
//go:embed prompt.md
var Prompt string

// File is a file of the extensions.
type File struct {
	Name string
	Data []byte
}

// Files are the files of the extensions, which lie beside each other.
func Files() []File { return []File{{Main, commands}, {Web, web}} }
