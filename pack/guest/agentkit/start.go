package agentkit

import (
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

// Env are the variables that pi is started with for every task, NAME=VALUE; dir is
// its own directory. Node keeps the compiled code of pi there (module compile cache).
func Env(dir string) []string {
	return []string{
		"PI_CODING_AGENT_DIR=" + dir, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
		"NODE_COMPILE_CACHE=" + dir + "/" + cacheName,
	}
}

// cacheName is Node's compile cache in pi's directory.
const cacheName = "compile-cache"

// Warm is a shell script, run with [Env], that starts pi once and ends it: Node then
// keeps the compiled code, with which pi starts in two thirds of the time. Everything
// else that this pi writes is removed.
//
// A startup snapshot (node --build-snapshot) does not fit by Node's documentation: it
// takes one script without require or import, and pi loads its bundle in parts.
const Warm = `d=$(mktemp -d) && echo 'module.exports = () => {}' >"$d/none.cjs" &&
echo '{"id":"1","type":"get_state"}' | PI_CODING_AGENT_DIR=$d TMPDIR=$d node ` + Program + ` --mode rpc --no-session --no-extensions --extension "$d/none.cjs" --offline
s=$?; rm -r "$d"; exit $s`
