// Package agentkit is what pi, the AI program of the pack, is started with in the
// guest: the extension that asks before commands, the one that has the host read
// the web, and the part of the system prompt that is the same for every task. The
// files are embedded here and laid into a task's state directory by the host
// (app/agent). What is the same for every task is named here for the guest too,
// which has a Node wait that has loaded pi ([Load]).
//
// The extensions run beside the commands that are asked about, in the same machine
// and as the same user. They are a courtesy to the person, never a boundary: that
// folders, deletions and the network are guarded is the work of the host, which
// the guest cannot pass.
package agentkit

import _ "embed"

// EnvConsent is the variable that tells the extension when to ask: "ask" or
// "auto".
const EnvConsent = "PIWORK_CONSENT"

// ConfirmTitle is the title of the confirmations that the extension asks for;
// their message is a JSON document (Confirmation).
const ConfirmTitle = "piwork.command"

// Names of the extensions that pi is told to load.
const (
	Main = "consent.cjs" // always
	Web  = "web.cjs"     // where a task has tools for the web
)

// Tools of [Web].
const (
	ToolFetch  = "web_fetch"
	ToolSearch = "web_search"
)

// Confirmation is what the extension asks about.
type Confirmation struct {
	V       int      `json:"v"`
	Call    string   `json:"call"` // pi's id of the tool call
	Tool    string   `json:"tool"`
	Command string   `json:"command"`
	Effects []string `json:"effects"` // as effects.cjs names them
	Targets []string `json:"targets,omitempty"`
}

//go:embed consent.cjs
var consent []byte

//go:embed effects.cjs
var effects []byte

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
func Files() []File { return []File{{Main, consent}, {"effects.cjs", effects}, {Web, web}} }
