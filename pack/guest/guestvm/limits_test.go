//go:build vm && linux

package guestvm

import (
	"fmt"
	"strings"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// The bounds of an operation are in force while it runs: what the kernel says of
// its cgroup, and that no disk is left out.
func TestOperationBounds(t *testing.T) {
	m := bootOperations(t, Options{})
	put(m, "/work/in/a", []byte("x"))
	ended := make(chan wire.ToolResult, 1)
	go func() {
		ended <- tool(m, wire.ToolParams{ID: "long", Op: "file.hash", In: []string{"/usr"}, Params: map[string]any{"recursive": true}})
	}()
	r := run(m, "bounds", `cd /sys/fs/cgroup/piwork && for i in $(seq 600); do
		for g in x*; do
			grep -qs operate /dev/null $(sed 's|.*|/proc/&/comm|' $g/cgroup.procs) || continue
			cat $g/pids.max $g/io.max; cat /sys/block/vd*/dev | wc -l; exit 0
		done; sleep 0.1
	done; cat cgroup.controllers; exit 1`)
	<-ended
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	op, _ := tools.Find("file.hash")
	rate := op.Limits(nil, tools.Load{}).IO
	want := fmt.Sprintf("rbps=%d wbps=%d ", rate, rate)
	bounded := strings.Count(string(r.Stdout), want)
	if r.ExitCode != 0 || len(lines) < 3 || lines[0] != "256" || fmt.Sprint(bounded) != lines[len(lines)-1] || bounded < 2 {
		t.Errorf("%s%s, want %q for each disk", r.Stdout, r.Stderr, want)
	}
}
