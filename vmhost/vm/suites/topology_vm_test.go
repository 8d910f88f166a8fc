//go:build vm && linux

package suites_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/pack/spec"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/vm/suites/order"
)

// A device that comes to its place in the machine's memory, or leaves it, on one
// processor, while the other one works with another device: every boot does that, and
// QEMU 10.0 ended over it now and then.
func TestTopology(t *testing.T) {
	tier.Rest(t, "")
	qemutest.Needs(t, "several processors in the slow mode", func(a spec.Abilities) bool { return a.EmulatedProcessors })
	m := boot(t, newHost(t), overDevice, options{})
	r := m.order(order.Order{Do: order.Run, Argv: []string{"/init", "decode", "5s"}, Bare: true, Root: true, Limit: 5 * time.Minute})
	times, err := strconv.Atoi(strings.TrimSpace(string(r.Out)))
	if r.Exit != 0 || r.Limited || err != nil || times < 1000 {
		t.Fatalf("ended with %d (endless: %v) after %q changes", r.Exit, r.Limited, r.Out)
	}
	t.Logf("%d changes", times)
}
