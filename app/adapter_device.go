package app

import (
	"context"
	"net"
	"path/filepath"
	"piwork/app/machines"
	"runtime"

	"piwork/vmhost/qemu"
	"piwork/vmhost/share/virtiofs"
)

// ServeDevice implements machines.DeviceServer.
//
// It runs in this program, beside the controller, and not in a process of its own.
// The guest's memory that it works in cannot be cut off under it (qemu.SharedRAM is
// sealed), and a fault in touching it, or any panic, is an error of this one
// connection (vhostuser); what the guest says there is bounded and fuzzed. A second
// process would need the journal, which has one writer, and the guards' questions,
// over another protocol that a taken-over server could speak as well: more to
// attack for nothing that a fault of one machine could reach here.
func (s *realShare) ServeDevice(ctx context.Context, l net.Listener) error {
	return virtiofs.Serve(ctx, l, s.set, virtiofs.Options{Log: s.log})
}

// proofCache is what remembers proofs, in the cache directory.
func proofCache(o Options) *qemu.ProofCache {
	return &qemu.ProofCache{Path: filepath.Join(o.CacheDir, proofsFile)}
}

// realShareProofs is nil where no folders can be a device.
func realShareProofs(c *qemu.ProofCache) machines.ShareProofs {
	if !qemu.CanPlugFolders(runtime.GOOS) {
		return nil
	}
	return c
}
