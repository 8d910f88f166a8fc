//go:build vm

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
)

// What a task leaves in the cache of its project is there for the next task of the project
// and for no other, until it is emptied. Nothing of it runs as root: no file on it makes its
// program another user's, and no process of root was started from it.
func TestRealCache(t *testing.T) {
	c := openReal(t, warmOptions(t))
	run := func(cache, script string) {
		t.Helper()
		made, err := c.StartTask(t.Context(), tasks.StartRequest{
			Kind: task.KindExec, Argv: []string{"sh", "-ec", script}, Detached: true, MachineChoice: tasks.MachineChoice{Cache: cache},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := ended(t, c, made.ID); got.State != task.StateDone {
			t.Fatalf("%q: %s %+v", script, got.State, got.Error)
		}
	}
	run("app", `
		grep -q ' /cache ext4 rw,nosuid,nodev' /proc/mounts
		test "$PIP_CACHE_DIR" = /cache/pip
		test $(df -m /cache | awk 'NR==2 {print $4}') -le 10240
		cp /usr/bin/id /cache/id; chmod 4755 /cache/id; echo one > /cache/one`)
	run("other", `test ! -e /cache/one`)
	run("app", `
		test "$(cat /cache/one)" = one
		test "$(/cache/id -u)" = 1000
		for p in /proc/[0-9]*; do
			if test "$(stat -c %u $p 2>/dev/null)" = 0; then case "$(readlink $p/exe)" in /cache/*) exit 9;; esac; fi
		done
		echo two > /cache/two`)
	if tier.All { // that a task has none, TestRealStatusAndExec shows
		run("", `test ! -e /cache`)
		run("app", `test "$(cat /cache/one /cache/two | tr '\n' ' ')" = 'one two '`)
	}
	left, err := filepath.Glob(filepath.Join(c.o.CacheDir, "caches", "*", "run-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %q %v", left, err)
	}
	all, err := c.Caches(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != "app" || all[0].Bytes == 0 {
		t.Errorf("%+v %v", all, err)
	}
	if err := c.EmptyCache(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.o.CacheDir, "caches", "c-app")); !os.IsNotExist(err) {
		t.Error(err)
	}
	run("app", `test -z "$(ls -A /cache)"`)
	if _, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"true"}, MachineChoice: tasks.MachineChoice{Cache: "../app"},
	}); err == nil || !strings.Contains(err.Error(), "no name") {
		t.Errorf("a path is a name: %v", err)
	}
}
