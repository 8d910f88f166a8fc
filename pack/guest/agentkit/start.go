package agentkit

import _ "embed"

// Program is pi in the guest (pack/image/programs.go).
const Program = "/opt/piwork/pi/dist/bundle/cli.js"

// AgentDir is where pi has its settings and sessions in the guest.
const AgentDir = "/state/pi"

// Load is a script for Node that loads pi ahead of its start; the first argument
// of its process is [Program].
//
//go:embed load.cjs
var Load []byte

// Env are the variables that pi is started with for every task, NAME=VALUE; dir has
// its settings and sessions. Its modules read some of them while they are loaded.
func Env(dir string) []string {
	return []string{"PI_CODING_AGENT_DIR=" + dir, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
}
