package agentkit

import _ "embed"

// Places of opencode in the guest, which an add-on has (pack/image/addons.go).
const (
	OpenCodeDir     = "/opt/piwork/opencode"
	OpenCodeProgram = OpenCodeDir + "/bin/opencode"
	OpenCodeNode    = "/usr/bin/node"               // which runs its shell, and asks for calls of MCP servers
	OpenCodeShell   = OpenCodeDir + "/piwork-shell" // what it starts commands with
)

// OpenCodeProvider begins the names that opencode has for the providers of the gateway.
const OpenCodeProvider = "piwork-"

//go:embed shell.cjs
var shell []byte

// Programs are files beside each other that an AI program starts as a shell: it sends commands to
// the host, as pi's extension does.
func Programs() []File {
	return []File{{"piwork-shell", shell}, {Main, commands}}
}
