//go:build vm

package remote

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/pack/durable"
	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest/parity"
	"piwork/vmhost/runtimetest/person"
)

// real is a place on a computer with the programs of the pack that PIWORK_RUNTIME_DIR names,
// and the agent of this source tree.
func real(t *testing.T, there Computer) Config {
	t.Helper()
	c := config(t, there)
	in := packtest.Unpacked(t)
	c.Root = hostedtest.Tree(t, in, "trees", in.ManifestSHA256)
	c.Digest = in.ManifestSHA256
	return c
}

// What scripts and tool calls give in a machine, they give on another computer.
func TestParityForReal(t *testing.T) {
	// The corpus tries what only a person is refused there, and there is this computer.
	agent := agentProgram(t)
	if os.Getuid() == 0 {
		if err := os.Chmod(filepath.Dir(agent), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if !person.Again(t, person.Options{Env: []string{envAgent + "=" + agent}}.Pack()) {
		return
	}
	t.Setenv("TZ", "UTC")
	s, there := computer(t)
	t.Cleanup(func() { durable.RemoveAll(filepath.Join(s.home, ".cache")) })
	r := open(t, s, real(t, there))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	began := time.Now()
	if err := r.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("the programs are there after %v", time.Since(began))
	parity.Run(t, vmhost.KindRemote, r)
}

// Programs of the pack can no more than those of the other computer.
func TestAttacksForReal(t *testing.T) {
	tier.Rest(t, "TestAttacksFromInside")
	s, there := computer(t)
	t.Cleanup(func() { durable.RemoveAll(filepath.Join(s.home, ".cache")) })
	attackFromInside(t, s, real(t, there), "")
}
