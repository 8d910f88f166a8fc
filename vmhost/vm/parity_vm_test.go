//go:build vm && linux

package vm

import (
	"flag"
	"testing"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/runtimetest/parity"
)

var updateParity = flag.Bool("update", false, "write what the corpus of parity gives in a machine")

// What scripts and tool calls give is written down; other kinds of runtimes give the same.
func TestParityForReal(t *testing.T) {
	t.Setenv("TZ", "UTC")
	v := restoredVM(t, realFactory(t), func(c *Config) { c.ServeFS, c.Folders = nil, nil })
	defer func() { t.Logf("QEMU ran for %v", ranFor(t, v.PID())) }()
	if *updateParity {
		parity.Record(t, v, "../runtimetest/parity/corpus/golden.json")
		return
	}
	parity.Run(t, parity.Machine, v)
}

// A folder of a person is a file system of its own, which the guest mounts, and gives the same.
func TestParityInFoldersForReal(t *testing.T) {
	tier.Rest(t, "TestParityInFoldersForReal of vmhost/sandbox")
	t.Setenv("TZ", "UTC")
	parity.Run(t, parity.Folders+":"+parity.Machine, restoredVM(t, realFactory(t)))
}
