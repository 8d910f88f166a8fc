package app

import (
	"context"

	"piwork/app/awake"
	"piwork/app/capacity"
	"piwork/app/folders"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/runtimepack"
	"piwork/app/setup/elevate"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/vm"
)

// realSeams are the rooms below as they are.
func realSeams(ctx context.Context, o Options) (seams, error) {
	packs, err := runtimepack.OpenStore(ctx, o.packs())
	if err != nil {
		return seams{}, err
	}
	proofs := proofCache(o)
	return seams{
		packs: packs, prove: realProver(o, proofs), machineSeams: machineSeams{
			places: realPlaces(o, proofs), remote: realRemote(o, proofs), shareProofs: realShareProofs(proofs), machine: func(c vm.Config) (vmhost.Runtime, error) { return vm.New(c) },
			endLeftover: qemu.EndLeftover, host: capacity.Look, power: capacity.LookAtPower, diskFree: capacity.DiskFree,
			factory: machines.Templates(o.CacheDir), sweepFactories: machines.SweepTemplates(o.CacheDir),
		},
		share: folders.Sharing(o.Log, o.calls), journal: history.Journals(o.Log, o.kept), checkFolder: share.CheckFolder, updater: packs.Updater,
		administrator: elevate.Here(), awake: awake.System,
	}, nil
}
