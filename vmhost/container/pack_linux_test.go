//go:build vm

package container

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/runtimetest/parity"
	"piwork/vmhost/wire"
)

// real is a container over the pack that PIWORK_RUNTIME_DIR names, with the agent of this
// source tree.
func real(t *testing.T) Config {
	t.Helper()
	c := config(t)
	in := packtest.Unpacked(t)
	c.Root = hostedtest.Tree(t, in, "trees", in.ManifestSHA256)
	c.Digest, c.Owner = in.ManifestSHA256, "the tests with a pack"
	return c
}

// What a pack brings for a machine works in a container: its programs and its operations,
// with the same results.
func TestPackForReal(t *testing.T) {
	t.Setenv("TZ", "UTC")
	base := real(t)
	runtimetest.Run(t, runtimetest.Target{
		Patience: 5 * time.Minute,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := base
			c.Dir, c.Env, c.OnStatus = filepath.Join(t.TempDir(), "container"), env, onStatus
			return open(t, c)
		},
	})
	c, _, _ := shared(t, base)
	r := connected(t, c)
	if !slices.Contains(r.Hello().Capabilities, wire.CanTool) {
		t.Errorf("%+v", r.Hello())
	}
	if got := run(t, r, "python3 -c 'print(6*7)' && node -e 'console.log(6*8)' && git init -q . && git status -s"); string(got.Stdout) != "42\n48\n?? a.txt\n" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	c = base
	c.Dir = filepath.Join(t.TempDir(), "container")
	parity.Run(t, vmhost.KindContainer, connected(t, c))
}
