// Package agentkit is what pi, the AI program of the pack, is started with in the
// guest: the extensions that have the host run commands, read the web, ask for another
// folder and call tools of MCP servers, and the part of the system prompt that is the same for every task. The
// files are embedded here and laid into a task's state directory by the host
// (app/agent). What is the same for every task is named here for the guest too, which
// starts pi once before a template is saved ([Warm]).
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

import (
	_ "embed"
	"encoding/json"
)

// PathCommand is where the host takes commands, below wire.GatewayAddr.
const PathCommand = "/piwork/command"

// PathFolder is where the host takes requests for another folder of the person.
const PathFolder = "/piwork/folder"

// Names of the extensions that pi is told to load.
const (
	Main = "commands.cjs" // always
	Web  = "web.cjs"      // where a task has tools for the web
	Ask  = "folder.cjs"   // where a task can have more folders; it uses Web's file

	Servers     = "servers.cjs"  // where the person allowed tools of MCP servers; it uses Web's file
	ServersList = "servers.json" // beside it: which tools, a list of ServerTool
	MCP         = "mcp.cjs"      // beside both, for a program that is not pi: an MCP server with the tools of one server, whose name it is given
)

// PathServer is where the host takes calls of tools of MCP servers.
const PathServer = "/piwork/server"

// ServerSeparator stands between the name of an MCP server and that of its tool; no other
// tool has it in its name.
const ServerSeparator = "__"

// ServerTool is a tool of an MCP server, as pi is given it.
type ServerTool struct {
	Name        string         `json:"name"` // the server's, ServerSeparator, and what is made of the tool's
	Server      string         `json:"server"`
	Tool        string         `json:"tool"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"` // a JSON schema
}

// ServerAsked is what the host is asked to call.
type ServerAsked struct {
	Name      string          `json:"name"` // of a ServerTool
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// ServerAnswer is the host's answer.
type ServerAnswer struct {
	Text   string        `json:"text"`
	Failed bool          `json:"failed,omitempty"` // the tool says that it failed
	Error  *CommandError `json:"error,omitempty"`
}

// ToolFolder is the tool of [Ask].
const ToolFolder = "ask_for_folder"

// FolderAsked is what the host is asked for with [PathFolder].
type FolderAsked struct {
	Reason string `json:"reason"`         // what the folder is needed for, in the person's language
	Path   string `json:"path,omitempty"` // which it may be, as far as the AI knows
}

// FolderAnswer is the host's answer.
type FolderAnswer struct {
	Path  string        `json:"path,omitempty"` // in the guest
	Mode  string        `json:"mode,omitempty"` // "ro", "rw", "review"
	Error *CommandError `json:"error,omitempty"`
}

// Tools of [Web].
const (
	ToolFetch  = "web_fetch"
	ToolSearch = "web_search"
)

// CommandRequest is what the host is asked to run.
type CommandRequest struct {
	Command   string  `json:"command"`             // as Bash gets it
	Directory string  `json:"directory,omitempty"` // where; "" is where the task works
	Timeout   float64 `json:"timeout,omitempty"`   // seconds; 0 is none
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

//go:embed folder.cjs
var folder []byte

//go:embed servers.cjs
var servers []byte

//go:embed mcp.cjs
var mcp []byte

// Prompt is the part of the system prompt that is the same for every task.
//
//go:embed prompt.md
var Prompt string

// File is a file of the extensions.
type File struct {
	Name string
	Data []byte
}

// ServerFiles are files beside each other, with a list of tools, by which a program that speaks the
// Model Context Protocol has them.
func ServerFiles() []File { return []File{{MCP, mcp}, {Servers, servers}, {Web, web}} }

// Files are the files of the extensions, which lie beside each other.
func Files() []File { return []File{{Main, commands}, {Web, web}, {Ask, folder}, {Servers, servers}} }
