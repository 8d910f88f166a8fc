//go:build vm

package host

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/host/relocate"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest/parity"
	"piwork/vmhost/wire"
)

// real is a place over the pack that PIWORK_RUNTIME_DIR names, with the agent of this source
// tree.
func real(t *testing.T) Config {
	t.Helper()
	c := config(t)
	in := packtest.Unpacked(t)
	c.Root = hostedtest.Tree(t, in, "environments", in.ManifestSHA256[:16], relocate.System{})
	return c
}

// A person talks to interpreters of the pack over pipes, with nothing of this computer but
// its kernel.
func TestREPLForReal(t *testing.T) {
	r := connected(t, real(t))
	for name, tt := range map[string]struct {
		argv  []string
		turns [][2]string // what is said, and what is in the answer
	}{
		"python": {[]string{"python3", "-u", "-i", "-q"}, [][2]string{{"import sys; x = 6", ""}, {"print('answer', x * 7)", "answer 42"}, {"print(sys.prefix)", "environments"}, {"exit()", ""}}},
		"node":   {[]string{"node", "-i"}, [][2]string{{"const x = 6", "undefined"}, {"`answer ${x * 7}`", "answer 42"}, {"process.execPath", "environments"}, {".exit", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			in, say := io.Pipe()
			var mu sync.Mutex
			heard := sync.NewCond(&mu)
			var said bytes.Buffer
			over := false
			done := make(chan error, 1)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			go func() {
				_, err := r.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: tt.argv}, Input: in, OnOutput: func(o wire.ExecOutput) {
					mu.Lock()
					defer mu.Unlock()
					if o.Stream == wire.Stdout { // Python's prompts are on the other one
						said.Write(o.Data)
					}
					heard.Broadcast()
				}})
				mu.Lock()
				over = true
				heard.Broadcast()
				mu.Unlock()
				done <- err
			}()
			for _, turn := range tt.turns {
				if _, err := io.WriteString(say, turn[0]+"\n"); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				for !strings.Contains(said.String(), turn[1]) && !over {
					heard.Wait()
				}
				if !strings.Contains(said.String(), turn[1]) {
					t.Errorf("%s: %s", turn[0], said.String())
				}
				mu.Unlock()
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// What scripts and tool calls give in a machine, they give on this computer, but for what is
// said of each.
func TestParityForReal(t *testing.T) {
	t.Setenv("TZ", "UTC")
	parity.Run(t, vmhost.KindHost, connected(t, real(t)).Runtime) // with the paths of this computer
}

// Nor does a folder give something else, which the kernel of this computer mounts here.
func TestParityInFoldersForReal(t *testing.T) {
	tier.Rest(t, "TestParityInFoldersForReal of vmhost/sandbox")
	t.Setenv("TZ", "UTC")
	c, _, _ := shared(t, real(t))
	parity.Run(t, parity.Folders+":"+vmhost.KindHost, connected(t, c).Runtime)
}
