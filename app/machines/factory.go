package machines

import (
	"context"

	"piwork/vmhost"
	"piwork/vmhost/vm"
)

// MachineMaker makes a runtime that is not connected yet.
type MachineMaker func(vm.Config) (vmhost.Runtime, error)

// Factory makes machines of one image that are there at once, as far as this
// computer can.
type Factory interface {
	// Ensure makes and tries what lets them be there at once. It is idempotent; a
	// failure is remembered, and not tried again for a while.
	Ensure(ctx context.Context) error
	// Make is a MachineMaker for machines of the factory's image and size.
	Make(vm.Config) (vmhost.Runtime, error)
	State() FactoryState
	// Expect has a machine restored that waits to be used, where machines are
	// restored; it returns when it waits.
	Expect(ctx context.Context) error
	// Release ends a machine that waits to be used.
	Release()
	Close() error
}

// FactoryState is how a factory stands. With neither ready nor err, and with found,
// Ensure has something to do.
type FactoryState struct {
	Ready bool
	Found bool // it is from an earlier run of the program: ensure is quick, and has it looked at
	Waits bool // a machine waits to be used
	Mode  WarmMode
	Bytes int64
	Err   error // why it cannot be, or not now
}

// Restores reports whether a machine would be a copy of the one that was saved.
func (s FactoryState) Restores() bool { return s.Ready && s.Mode == WarmTemplate }

// FactoryMaker makes a factory. It makes no machine and no file.
type FactoryMaker func(vm.FactoryOptions) (Factory, error)
