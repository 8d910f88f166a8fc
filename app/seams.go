package app

import (
	"context"
	"time"

	"piwork/app/awake"
	"piwork/app/capacity"
	"piwork/app/folders"
	"piwork/app/gateway/keys"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/app/setup/elevate"
	"piwork/app/task"
	"piwork/vmhost/network"
	"piwork/vmhost/qemu"
)

// What the controller needs of the rooms below. Each has one adapter to the
// real thing in a file of its own, and a fake in the tests.

// prover boots the pack's kernel with an accelerator; fresh is not to be
// content with what was proven before.
type prover func(ctx context.Context, image qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error)

// folderChecker refuses folders that no task may have.
type folderChecker func(path string, protected []string) error

// leftoverEnder ends the process of a machine in dir that outlived its program, and
// reports whether there was one.
type leftoverEnder func(ctx context.Context, dir string) (bool, error)

// seams are the rooms below, as a controller uses them.
type seams struct {
	machineSeams
	packs       runtimepack.Source
	prove       prover
	share       folders.Sharer
	journal     history.Opener
	checkFolder folderChecker
	look        setup.Looker // at whether a machine can be accelerated; nil is setup.Look

	now func() time.Time // nil is time.Now
	// onNote hears what is noted of a task, right before and right after it is durable; what is
	// not stored only after. A test ends the program there.
	onNote func(kind task.EventKind, data any, after bool)

	// keys stands for the keychain; nil is this computer's.
	keys keys.Store
	// endpoints are where logins are made, and after is time.After for them; nil
	// are the real ones.
	endpoints map[string]keys.Endpoint
	after     func(time.Duration) <-chan time.Time
	managed   string // rules of an administrator; "" is this computer's
	// network makes the network of a task; nil is network.New.
	network func(network.Config) (*network.Network, error)
	// awake keeps the computer from falling asleep; nil never does.
	awake awake.Hold
	// administrator is how this computer asks for one; the zero value never does.
	administrator elevate.System

	updater func(context.Context, updater.Options) (runtimepack.Updater, error)
}

// machineSeams are machines, and the computer that they run on.
type machineSeams struct {
	machine     machines.MachineMaker
	endLeftover leftoverEnder
	host        func(context.Context) (capacity.Host, error)
	power       func(context.Context) capacity.Power
	diskFree    func(ctx context.Context, dir string) (int, error) // MiB
	settle      func() time.Duration                               // see machines.Options; nil is as usual
	places      []placeSeam                                        // that are no machine, the strongest first
	remote      remoteSeam
	shareProofs machines.ShareProofs  // nil where folders cannot be a device
	factory     machines.FactoryMaker // nil where there is no warm pool
	// sweepFactories removes what factories left on the disk, but for that of keep.
	sweepFactories func(ctx context.Context, keep machines.Factory) error
}

// noted calls onNote, where there is one.
func (s *seams) noted(kind task.EventKind, data any, after bool) {
	if s.onNote != nil {
		s.onNote(kind, data, after)
	}
}
