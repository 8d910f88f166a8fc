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
	return func(s machineSpec) (vmhost.Runtime, error) { return vm.New(vmConfig(o, s)) }
}

func vmConfig(o Options, s machineSpec) vm.Config {
	return vm.Config{
		Image: s.image, Accel: s.proof.Accel, CPU: s.proof.CPU, BootTime: s.proof.Ready,
		MemoryMB: s.size.MemoryMB, CPUs: s.size.CPUs, BeforeBoot: s.beforeBoot,
		Dir: s.dir, RunDir: s.runDir, Env: s.env, Folders: s.folders, ServeFS: s.serveFS,
		State: s.state, ServeNet: s.serveNet, NIC: s.nic, OnLink: s.onLink,
		ServeDevice: s.device.serve, OpenFolders: s.device.ready,
		OnStatus: s.onStatus, AppVersion: o.Version, PackVersion: s.packVersion, Log: o.Log,
	}
}
