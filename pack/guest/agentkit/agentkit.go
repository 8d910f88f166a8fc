// Package agentkit is what pi, the AI program of the pack, is started with in the
// guest: the extension that asks before commands, and the part of the system
// prompt that is the same for every task. The files are embedded here and laid
// into a task's state directory by the host (app/agent). What is the same for every
// task is named here for the guest too, which has a Node wait that has loaded pi
// ([Load]).
//
// The extension runs beside the commands it asks about, in the same machine and
// as the same user. It is a courtesy to the person, never a boundary: that
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

// Main is the name of the extension that pi is told to load.
const Main = "consent.cjs"

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

// Prompt is the part of the system prompt that is the same for every task.
//
//go:embed prompt.md
var Prompt string

// File is a file of the extension.
type File struct {
	Name string
	Data []byte
}

// Files are the files of the extension, which lie beside each other.
func Files() []File { return []File{{Main, consent}, {"effects.cjs", effects}} }
