package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Groups are the cgroups (version 2) in which sandboxes are bounded: each is a scope of the
// person's systemd, which delegates it. The agent divides it and makes a cgroup for each
// program (pack/guest/execution), as in a machine. All together have at most half of the memory. A
// nil Groups bounds nothing.
//
// What [FindGroups] sees is tried by the first sandbox. Where that fails nothing is bounded
// from then on, and nobody is told otherwise: sandboxes that are made later do not claim it.
type Groups struct {
	enter  func(ctx context.Context, scope string, pid int) error // has systemd put a process into a scope
	failed atomic.Bool
}

// controllers are what a sandbox needs of a cgroup.
var controllers = []string{"cpu", "memory", "pids"}

// maxTasks is how many processes and threads a whole sandbox may have, with the agent's.
const maxTasks = 4096

// usable reports whether limits are kept.
func (g *Groups) usable() bool { return g != nil && !g.failed.Load() }

// delegated reports whether the systemd of a user has cgroups to delegate, by the files below
// mount: with all controllers, and such as can be ended whole (since Linux 5.14).
func delegated(mount string, uid int) bool {
	user := strconv.Itoa(uid)
	dir := filepath.Join(mount, "user.slice", "user-"+user+".slice", "user@"+user+".service")
	if _, err := os.Stat(filepath.Join(dir, "cgroup.kill")); err != nil {
		return false
	}
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	has := strings.Fields(string(b))
	return err == nil && !slices.ContainsFunc(controllers, func(c string) bool { return !slices.Contains(has, c) })
}
