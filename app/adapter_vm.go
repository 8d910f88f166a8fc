package app

import (
	"context"
	"path/filepath"

	"piwork/app/capacity"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
)

// realProver boots the pack's kernel; what was proven is remembered in the
// cache directory.
func realProver(o Options, cache *qemu.ProofCache) prover {
	logs := filepath.Join(o.DataDir, machineDir)
	return func(ctx context.Context, image qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error) {
		host, err := capacity.Look(ctx)
		if err != nil {
			host = unknownHost
		}
		return qemu.Prove(ctx, qemu.ProveOptions{
			Image: image, Accel: accel, CPUs: capacity.SizeOf(host, capacity.Choice{}).CPUs, // as tasks have them
			LogDir: logs, Cache: cache, Fresh: fresh,
		})
	}
}

// realMachines makes virtual machines that boot.
func realMachines(o Options) machineMaker {
	return func(s vm.Config) (vmhost.Runtime, error) { return vm.New(complete(o, s)) }
}

// complete fills in what all machines have in common.
func complete(o Options, c vm.Config) vm.Config {
	c.AppVersion, c.Log = o.Version, o.Log
	return c
}
