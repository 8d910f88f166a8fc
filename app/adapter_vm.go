package app

import (
	"context"
	"path/filepath"
	"runtime"

	"piwork/app/capacity"
	"piwork/app/machines"
	"piwork/vmhost/qemu"
)

// realProver boots the pack's kernel; what was proven is remembered in the
// cache directory.
func realProver(o Options, cache *qemu.ProofCache) prover {
	logs := filepath.Join(o.DataDir, machineDir)
	return func(ctx context.Context, image qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error) {
		host, err := capacity.Look(ctx)
		if err != nil {
			host = machines.UnknownHost
		}
		return qemu.Prove(ctx, qemu.ProveOptions{
			Image: image, Accel: accel, CPUs: capacity.SizeOf(host, capacity.Choice{}).CPUs, // as tasks have them
			LogDir: logs, Cache: cache, Fresh: fresh,
		})
	}
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
