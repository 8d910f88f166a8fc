//go:build vm && linux

package guestvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// The bounds of an operation are in force while it runs: what the kernel says of
// its cgroup, and that no disk is left out.
func operationBounds(t *testing.T, m *Machine) {
	ended := make(chan wire.ToolResult, 1)
	go func() {
		ended <- tool(m, wire.ToolParams{ID: "long", Op: "file.hash", In: []string{"/usr"}, Params: map[string]any{"recursive": true}})
	}()
	r := run(m, "bounds", `cd /sys/fs/cgroup/piwork && for i in $(seq 600); do
		for g in x*; do
			grep -qs operate /dev/null $(sed 's|.*|/proc/&/comm|' $g/cgroup.procs) || continue
			cat $g/pids.max $g/memory.max $g/cpu.max $g/io.max; cat /sys/block/vd*/dev | wc -l; exit 0
		done; sleep 0.1
	done; cat cgroup.controllers; exit 1`)
	Call[wire.Empty](m, wire.MethodCancel, wire.ExecRef{ID: "long"})
	if e := <-ended; codes(e)["."] != tools.Cancelled {
		t.Errorf("it was not under way until then: %+v", e)
	}
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	op, _ := tools.Find("file.hash")
	held := op.Limits(tools.Load{})
	want := fmt.Sprintf("rbps=%d wbps=%d ", held.IO, held.IO)
	const period = 100_000
	first := []string{fmt.Sprint(held.Processes), fmt.Sprint(held.MemoryMB << 20), fmt.Sprintf("%d %d", held.Processors*period, period)}
	bounded := strings.Count(string(r.Stdout), want)
	if r.ExitCode != 0 || len(lines) < len(first)+2 || !slices.Equal(lines[:len(first)], first) || fmt.Sprint(bounded) != lines[len(lines)-1] || bounded < 2 {
		t.Errorf("%s%s, want %q, and %q for each disk", r.Stdout, r.Stderr, first, want)
	}
}
