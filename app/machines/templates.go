package machines

import (
	"context"
	"errors"
	"path/filepath"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/vm/template"
)

// TemplatesDir is where saved machines are, in the cache directory.
const TemplatesDir = "templates"

// vmFactory is the factory of the real machines.
type vmFactory struct {
	f     *vm.Factory
	store *template.Store
}

// Templates makes factories that save machines in the cache directory and restore them.
func Templates(cache string) FactoryMaker {
	return func(s vm.FactoryOptions) (Factory, error) {
		dir := filepath.Join(cache, TemplatesDir)
		store, err := template.Open(dir)
		if err != nil {
			return nil, err
		}
		s.Dir = dir
		s.IdleAfter = 2 * warmUnused // when one that waits is not needed any more is decided here (WarmPool)
		f, err := vm.NewFactory(s)
		if err != nil {
			return nil, err
		}
		return &vmFactory{f: f, store: store}, nil
	}
}

func (v *vmFactory) Ensure(ctx context.Context) error { return v.f.Ensure(ctx) }

func (v *vmFactory) Make(s vm.Config) (vmhost.Runtime, error) { return v.f.New(s) }

func (v *vmFactory) Expect(ctx context.Context) error { return v.f.Expect(ctx) }

func (v *vmFactory) Release() { v.f.Release() }

func (v *vmFactory) Close() error { return v.f.Close() }

func (v *vmFactory) State() FactoryState {
	s := v.f.State()
	out := FactoryState{Mode: WarmTemplate, Bytes: s.Bytes, Waits: s.MemoryMB > 0}
	if s.Mode == vm.ModeWaiting {
		out.Mode = WarmSpare
	}
	switch s.Phase {
	case vm.PhaseReady:
		out.Ready = true
	case vm.PhaseFailed:
		out.Err = s.Err
		if errors.Is(s.Err, template.ErrNoSpace) {
			out.Err = problem.New(problem.CodeDiskFull).Because(s.Err)
		}
	case vm.PhaseNone:
		// One of an earlier run of the program is used as it is; ensure has it read
		// beside.
		if key, err := v.f.Key(); err == nil && s.Mode == vm.ModeTemplate {
			if t, err := v.store.Lookup(key); err == nil {
				out.Ready, out.Found, out.Bytes = true, true, t.Bytes()
			}
		}
	case vm.PhaseMaking:
	}
	return out
}

// SweepTemplates removes what factories left in the cache, but for the template of
// keep, which may be nil.
func SweepTemplates(cache string) func(context.Context, Factory) error {
	return func(ctx context.Context, keep Factory) error {
		dir := filepath.Join(cache, TemplatesDir)
		if v, ok := keep.(*vmFactory); ok {
			key, err := v.f.Key()
			if err != nil {
				return err
			}
			return vm.SweepTemplates(ctx, dir, key)
		}
		return vm.SweepTemplates(ctx, dir)
	}
}
