package machines

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/capacity"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/vmhost/vm"
)

// idleFactory is ready once it was asked.
type idleFactory struct {
	Factory
	ready, looks atomic.Int64
}

func (f *idleFactory) Ensure(context.Context) error { f.ready.Store(1); return nil }
func (f *idleFactory) Close() error                 { return nil }
func (f *idleFactory) State() FactoryState {
	f.looks.Add(1)
	return FactoryState{Ready: f.ready.Load() == 1, Mode: WarmTemplate}
}

// prepareWorld is a fleet beside a task that is at work.
func prepareWorld(t *testing.T) (f *Fleet, made *idleFactory, working *atomic.Bool) {
	made, working = &idleFactory{}, &atomic.Bool{}
	working.Store(true)
	kept, err := settings.Open(filepath.Join(t.TempDir(), "s.json"), Settings{Instant: true}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	host := capacity.Host{CPUs: 4, MemoryMB: 16000, FreeMB: 12000}
	f = New(Options{
		Choice: settings.Of(kept, func(s *Settings) *Settings { return s }),
		Host:   func(context.Context) (capacity.Host, error) { return host, nil },
		Power:  func(context.Context) capacity.Power { return capacity.Power{} },
		DiskFree: func(context.Context, string) (int, error) {
			return 100_000, nil
		},
		Factory:  func(vm.FactoryOptions) (Factory, error) { return made, nil },
		Status:   func(context.Context) (setup.Report, error) { return setup.Report{Ready: true}, nil },
		Working:  working.Load,
		Settle:   func() time.Duration { return time.Hour },
		Watching: Watching{Tell: func(Machines) {}},
		Log:      slog.New(slog.DiscardHandler), Now: time.Now,
	})
	f.Pool.SetBasis(setup.Report{Ready: true}, setup.Machine{})
	f.Run()
	t.Cleanup(f.Close)
	return f, made, working
}

// Who wants it prepared beside a task waits for the task, and keeps no processor busy meanwhile.
func TestPrepareWaitsForTasks(t *testing.T) {
	f, made, working := prepareWorld(t)
	prepared := make(chan error, 1)
	go func() { prepared <- f.Pool.prepare(context.Background()) }()
	for f.Pool.State().Reason != WarmTasks {
		time.Sleep(time.Millisecond)
	}
	before := made.looks.Load()
	time.Sleep(200 * time.Millisecond)
	if n := made.looks.Load() - before; n > 10 {
		t.Errorf("looked %d times while nothing changed", n)
	}
	select {
	case err := <-prepared:
		t.Fatalf("it doesn't wait for the task: %v", err)
	default:
	}
	working.Store(false) // it waits for a person: nobody says so
	if err := <-prepared; err != nil || f.Pool.State().State != WarmReady {
		t.Errorf("%v, %+v", err, f.Pool.State())
	}
}

// A person who gives up takes nothing from another one that waits.
func TestPrepareOfTwo(t *testing.T) {
	f, _, working := prepareWorld(t)
	ctx, giveUp := context.WithCancelCause(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- f.Pool.prepare(ctx) }()
	go func() { second <- f.Pool.prepare(t.Context()) }()
	for f.Pool.State().Reason != WarmTasks {
		time.Sleep(time.Millisecond)
	}
	left := errors.New("left")
	giveUp(left)
	if err := <-first; !errors.Is(err, left) {
		t.Error(err)
	}
	working.Store(false)
	if err := <-second; err != nil {
		t.Error(err)
	}
}

// A runtime that can't be used any more is said to who waits for it.
func TestPrepareHearsThatTheRuntimeIsGone(t *testing.T) {
	f, _, _ := prepareWorld(t)
	gone := errors.New("gone")
	f.o.Status = func(context.Context) (setup.Report, error) { return setup.Report{}, gone }
	f.Pool.SetBasis(setup.Report{}, setup.Machine{})
	if err := f.Pool.prepare(t.Context()); !errors.Is(err, gone) {
		t.Error(err)
	}
}
