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
	again(t, func(t *testing.T, s *server, c Config) { parity.Run(t, vmhost.KindRemote, ready(t, s, c)) })
}

// So they do in a folder, whose files come over the network.
func TestParityInFoldersForReal(t *testing.T) {
	tier.Rest(t, "TestParityInFoldersForReal of vmhost/sandbox")
	again(t, func(t *testing.T, s *server, c Config) {
		c, _, _ = shared(t, c)
		parity.Run(t, parity.Folders+":"+vmhost.KindRemote, ready(t, s, c))
	})
}

// again does something as a person, with a place of the pack: the corpus tries what only a
// person is refused there, and there is this computer.
func again(t *testing.T, do func(*testing.T, *server, Config)) {
	t.Helper()
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
	do(t, s, real(t, there))
}

// ready connects a place to which the programs are sent, which takes a while.
func ready(t *testing.T, s *server, c Config) vmhost.Runtime {
	t.Helper()
	r := open(t, s, c)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	began := time.Now()
	if err := r.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("the programs are there after %v", time.Since(began))
	return r
}

// Programs of the pack can no more than those of the other computer.
func TestAttacksForReal(t *testing.T) {
	tier.Rest(t, "TestAttacksFromInside")
	s, there := computer(t)
	t.Cleanup(func() { durable.RemoveAll(filepath.Join(s.home, ".cache")) })
	attackFromInside(t, s, real(t, there), "")
}
