package app

import (
	"context"
	"path/filepath"

	"piwork/vmhost/qemu"
)

// realProver boots the pack's kernel; what was proven is remembered in the
// cache directory.
func realProver(o Options) prover {
	cache := &qemu.ProofCache{Path: filepath.Join(o.CacheDir, proofsFile)}
	logs := filepath.Join(o.DataDir, machineDir)
	return func(ctx context.Context, image qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error) {
		return qemu.Prove(ctx, qemu.ProveOptions{Image: image, Accel: accel, LogDir: logs, Cache: cache, Fresh: fresh})
	}
}
