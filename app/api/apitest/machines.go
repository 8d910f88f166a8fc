package apitest

import (
	"context"
	"sync"

	"piwork/app"
	"piwork/app/capacity"
	"piwork/app/task"
)

// Machinery is what a Fake says of machines. The zero value is a computer with
// 16 GB on which nothing was chosen and nothing is ready.
type Machinery struct {
	Instant app.Instant

	mu     sync.Mutex
	chosen *app.MachineSettings
	ready  bool
}

// Machines implements app.Service.
func (f *Fake) Machines(context.Context) (app.Machines, error) {
	f.Machinery.mu.Lock()
	defer f.Machinery.mu.Unlock()
	host := capacity.Host{MemoryMB: 16 << 10, FreeMB: 8 << 10, CPUs: 8}
	s := app.MachineSettings{Instant: true}
	if f.Machinery.chosen != nil {
		s = *f.Machinery.chosen
	}
	c := capacity.Choice{MemoryMB: s.MemoryMB, CPUs: s.CPUs, TotalMB: s.TotalMB, Machines: s.AtOnce}
	m := app.Machines{
		Host: host, Size: capacity.SizeOf(host, c), TotalMB: capacity.Budget(host, c), AtOnce: capacity.Machines(host, c),
		Instant: f.Machinery.Instant, Share: app.Share{Kind: app.Share9P, Reason: app.ShareUntried}, Settings: s,
	}
	if s.Share != "" && s.Share != app.ShareAuto {
		m.Share = app.Share{Kind: s.Share, Reason: app.ShareChosen}
	}
	switch {
	case f.Machinery.ready:
		m.Instant = app.Instant{State: app.InstantReady, Mode: app.InstantTemplate, Bytes: 300_000_000}
	case m.Instant.State == "":
		m.Instant = app.Instant{State: app.InstantPending, Reason: app.InstantSetup}
	}
	return m, f.refused("Machines")
}

// SetMachines implements app.Service.
func (f *Fake) SetMachines(ctx context.Context, s app.MachineSettings) (app.Machines, error) {
	if err := f.refused("SetMachines"); err != nil {
		return app.Machines{}, err
	}
	f.Machinery.mu.Lock()
	f.Machinery.chosen = &s
	f.Machinery.mu.Unlock()
	m, err := f.Machines(ctx)
	f.Publish(task.Event{Kind: task.EventMachines, Data: m})
	return m, err
}

// PrepareMachines implements app.Service.
func (f *Fake) PrepareMachines(ctx context.Context) (app.Machines, error) {
	if err := f.refused("PrepareMachines"); err != nil {
		return app.Machines{}, err
	}
	f.Machinery.mu.Lock()
	f.Machinery.ready = true
	f.Machinery.mu.Unlock()
	return f.Machines(ctx)
}
