package app

import (
	"context"
	"io"
	"piwork/app/machines"
	"piwork/app/runtimepack"
	"time"

	"piwork/app/awake"
	"piwork/app/capacity"
	"piwork/app/changes"
	"piwork/app/gateway/keys"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/app/setup/elevate"
	"piwork/app/task"
	"piwork/vmhost/network"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// What the controller needs of the rooms below. Each has one adapter to the
// real thing in a file of its own, and a fake in the tests.

// prover boots the pack's kernel with an accelerator; fresh is not to be
// content with what was proven before.
type prover func(ctx context.Context, image qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error)

// fileShare serves the folders of a task to its runtime.
type fileShare interface {
	Serve(ctx context.Context, conn io.ReadWriteCloser) error
	// add shares another folder, also while it is served; j and g as of a sharer.
	add(f task.Folder, j changeJournal, g *guard.Guard) error
	// remove ends the sharing of a folder: when it returns nothing of it is in use.
	remove(id string)
	Close() error
}

// stateShare is a fileShare that can have what belongs to the task beside the
// folders.
type stateShare interface {
	addState(dir string) error
}

// sharer makes a share. j and g are nil where every folder is read-only.
type sharer func(folders []task.Folder, j changeJournal, g *guard.Guard) (fileShare, error)

// changeJournal is what a task changed in its folders, and what waits in front of
// those in mode review. Contents that it opened stay readable when it is closed.
type changeJournal interface {
	changes(ctx context.Context) ([]journal.Change, error)
	content(ctx context.Context, id string, side changes.Which) (changes.Content, error)
	undo(ctx context.Context, r UndoRequest) (UndoReport, error)
	redo(ctx context.Context, r RedoRequest) (RedoReport, error)
	apply(ctx context.Context, r ApplyRequest) (ApplyReport, error)
	// extend has the journal ready for another folder, or for one in another mode.
	extend(f task.Folder)
	close() error
}

// journalOpener opens or makes the journal in dir.
type journalOpener func(dir string, folders []task.Folder, room undoRoom) (changeJournal, error)

// undoRoom bounds what a journal keeps; the zero value does not.
type undoRoom struct {
	bytes  int64
	more   journal.OnFull // asked when that is reached
	memory journal.OnFull // asked when the memory for it is used up
	late   bool           // there is no journal, and none is made before something is applied
}

// folderChecker refuses folders that no task may have.
type folderChecker func(path string, protected []string) error

// leftoverEnder ends the process of a machine in dir that outlived its program, and
// reports whether there was one.
type leftoverEnder func(ctx context.Context, dir string) (bool, error)

// seams are the rooms below, as a controller uses them.
type seams struct {
	packs       runtimepack.Source
	prove       prover
	machine     machines.MachineMaker
	share       sharer
	journal     journalOpener
	checkFolder folderChecker
	host        func(context.Context) (capacity.Host, error)
	look        setup.Looker // at whether a machine can be accelerated; nil is setup.Look
	endLeftover leftoverEnder
	power       func(context.Context) capacity.Power
	diskFree    func(ctx context.Context, dir string) (int, error) // MiB

	// shareProofs is nil where folders cannot be a device.
	shareProofs machines.ShareProofs

	// factory is nil where machines are not to be there at once.
	factory machines.FactoryMaker
	// sweepFactories removes what factories left on the disk, but for that of keep.
	sweepFactories func(ctx context.Context, keep machines.Factory) error

	now func() time.Time // nil is time.Now

	// onNote hears what is noted of a task, right before and right after it is
	// durable; what is not stored only after. A test ends the program there.
	onNote func(kind task.EventKind, data any, after bool)

	settle func() time.Duration // see FleetOptions; nil is as usual

	// keys stands for the keychain; nil is this computer's.
	keys keys.Store
	// endpoints are where logins are made, and after is time.After for them; nil
	// are the real ones.
	endpoints map[string]keys.Endpoint
	after     func(time.Duration) <-chan time.Time
	// network makes the network of a task; nil is network.New.
	network func(network.Config) (*network.Network, error)
	// awake keeps the computer from falling asleep; nil never does.
	awake awake.Hold
	// administrator is how this computer asks for one; the zero value never does.
	administrator elevate.System

	updater func(context.Context, updater.Options) (runtimepack.Updater, error)
}

// noted calls onNote, where there is one.
func (s *seams) noted(kind task.EventKind, data any, after bool) {
	if s.onNote != nil {
		s.onNote(kind, data, after)
	}
}
