package app

import (
	"context"
	"errors"
	"path/filepath"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/vm/template"
)

// templatesDir is where saved machines are, in the cache directory.
const templatesDir = "templates"

// vmFactory is the factory of the real machines.
type vmFactory struct {
	f     *vm.Factory
	o     Options
	store *template.Store
}

func realFactories(o Options) factoryMaker {
	return func(s vm.FactoryOptions) (factory, error) {
		dir := filepath.Join(o.CacheDir, templatesDir)
		store, err := template.Open(dir)
		if err != nil {
			return nil, err
		}
		s.Dir, s.AppVersion, s.Log = dir, o.Version, o.Log
		s.IdleAfter = 2 * instantUnused // when one that waits is not needed any more is decided here (instant)
		f, err := vm.NewFactory(s)
		if err != nil {
			return nil, err
		}
		return &vmFactory{f: f, o: o, store: store}, nil
	}
}

func (v *vmFactory) ensure(ctx context.Context) error { return v.f.Ensure(ctx) }

func (v *vmFactory) make(s vm.Config) (vmhost.Runtime, error) { return v.f.New(complete(v.o, s)) }

func (v *vmFactory) expect(ctx context.Context) error { return v.f.Expect(ctx) }

func (v *vmFactory) release() { v.f.Release() }

func (v *vmFactory) close() error { return v.f.Close() }

func (v *vmFactory) state() factoryState {
	s := v.f.State()
	out := factoryState{mode: InstantTemplate, bytes: s.Bytes, waits: s.MemoryMB > 0}
	if s.Mode == vm.ModeWaiting {
		out.mode = InstantSpare
	}
	switch s.Phase {
	case vm.PhaseReady:
		out.ready = true
	case vm.PhaseFailed:
		out.err = s.Err
		if errors.Is(s.Err, template.ErrNoSpace) {
			out.err = problem.New(problem.CodeDiskFull).Because(s.Err)
		}
	case vm.PhaseNone:
		// One of an earlier run of the program is used as it is; ensure has it read
		// beside.
		if key, err := v.f.Key(); err == nil && s.Mode == vm.ModeTemplate {
			if t, err := v.store.Lookup(key); err == nil {
				out.ready, out.found, out.bytes = true, true, t.Bytes()
			}
		}
	case vm.PhaseMaking:
	}
	return out
}

// sweepTemplates removes what factories left in the cache, but for the template of
// keep, which may be nil.
func sweepTemplates(o Options) func(context.Context, factory) error {
	return func(ctx context.Context, keep factory) error {
		dir := filepath.Join(o.CacheDir, templatesDir)
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
