package agentkit

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// Program is pi in the guest (pack/image/programs.go).
const Program = "/opt/piwork/pi/dist/bundle/cli.js"

// Where pi's files are in the guest.
const (
	// StateDir has what lasts: sessions, and what the host lays down for pi.
	StateDir = "/state/pi"
	// AgentDir is what pi takes for its directory. It is in the guest's memory:
	// pi looks some 500 times for files in it that are not there while it starts
	// (auth.json, for each provider), and each look at a share asks the host.
	AgentDir = "/run/piwork/pi"
)

// laid are the files of StateDir that pi looks for in its own directory.
var laid = []string{"settings.json", "models.json"}

// MakeDir makes pi's directory for a user, with links to what is in state.
func MakeDir(dir, state string, uid, gid int) error {
	err := os.MkdirAll(dir, 0o700)
	for _, name := range laid {
		if err == nil {
			err = os.Symlink(filepath.Join(state, name), filepath.Join(dir, name))
		}
	}
	if err == nil {
		err = os.Chown(dir, uid, gid)
	}
	if err != nil {
		return fmt.Errorf("make pi's directory: %w", err)
	}
	return nil
}

// Load is a script for Node that loads pi ahead of its start; the first argument
// of its process is [Program].
//
//go:embed load.cjs
var Load []byte

// Env are the variables that pi is started with for every task, NAME=VALUE; dir is
// its own directory. Its modules read some of them while they are loaded.
func Env(dir string) []string {
	return []string{"PI_CODING_AGENT_DIR=" + dir, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
}
