//go:build vm && linux

package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/sandbox/tree"
)

// What tasks do in a real sandbox over the real pack is what they do in a machine: programs,
// operations and chores, guards, undo, review, a cancel, and nothing is left.
func TestRealSandbox(t *testing.T) {
	o := realOptions(t)
	keepTrees(t, o.CacheDir)
	c := openReal(t, o)
	status, err := c.TestRuntime(t.Context(), vmhost.KindSandbox)
	if err == nil && status.Problem != nil && slices.Contains([]string{string(vmhost.ReasonSandboxMissing), string(vmhost.ReasonSandboxDenied)}, status.Problem.Cause) {
		t.Skipf("this computer has no sandbox: %v", status.Problem)
	}
	if err != nil || !status.Works {
		t.Fatalf("%+v %v", status, err)
	}
	inPlace(t, c, realPlace{kind: vmhost.KindSandbox, lost: filepath.Join(o.CacheDir, treesDir)})
	// The tree of the pack is in the command line of whatever runs in a sandbox.
	if left := leftOf(t, func() []string { return commandLines(t, filepath.Join(c.o.CacheDir, treesDir)) }); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
}

// SandboxOptions are realOptions of somebody whose pack was unpacked before, for tests of whole
// processes.
func SandboxOptions(t *testing.T) Options {
	t.Helper()
	o := realOptions(t)
	keepTrees(t, o.CacheDir)
	return o
}

// keepTrees has unpacked packs stay between runs of the tests: their names say of what they are.
func keepTrees(t *testing.T, cache string) {
	t.Helper()
	keep := os.Getenv("PIWORK_TEST_KEEP")
	if keep == "" {
		return
	}
	err := errors.Join(os.MkdirAll(filepath.Join(keep, treesDir), 0o700), os.MkdirAll(cache, 0o700), os.Symlink(filepath.Join(keep, treesDir), filepath.Join(cache, treesDir)))
	if err == nil {
		err = tree.Prune(t.Context(), filepath.Join(keep, treesDir), "", time.Now().Add(-24*time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
}
