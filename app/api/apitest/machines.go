package apitest

import (
	"context"
	"piwork/app/machines"
	"sync"

	"piwork/app/capacity"
	"piwork/app/task"
)

// Machinery is what a Fake says of machines. The zero value is a computer with
// 16 GB on which nothing was chosen and nothing is ready.
type Machinery struct {
	Instant machines.WarmStart

	mu     sync.Mutex
	chosen *machines.Settings
	ready  bool
}

// Machines implements api.Service.
func (f *Fake) Machines(context.Context) (machines.Machines, error) {
	f.Machinery.mu.Lock()
	defer f.Machinery.mu.Unlock()
	host := capacity.Host{MemoryMB: 16 << 10, FreeMB: 8 << 10, CPUs: 8}
	s := machines.Settings{Instant: true}
	if f.Machinery.chosen != nil {
		s = *f.Machinery.chosen
	}
	c := capacity.Choice{MemoryMB: s.MemoryMB, CPUs: s.CPUs, TotalMB: s.TotalMB, Machines: s.AtOnce}
	m := machines.Machines{
		Host: host, Size: capacity.SizeOf(host, c), TotalMB: capacity.Budget(host, c), AtOnce: capacity.Machines(host, c),
		Instant: f.Machinery.Instant, Share: machines.Share{Kind: machines.Share9P, Reason: machines.ShareUntried}, Settings: s,
	}
	if s.Share != "" && s.Share != machines.ShareAuto {
		m.Share = machines.Share{Kind: s.Share, Reason: machines.ShareChosen}
	}
	switch {
	case f.Machinery.ready:
		m.Instant = machines.WarmStart{State: machines.WarmReady, Mode: machines.WarmTemplate, Bytes: 300_000_000}
	case m.Instant.State == "":
		m.Instant = machines.WarmStart{State: machines.WarmPending, Reason: machines.WarmSetup}
	}
	return m, f.refused("Machines")
}

// SetMachines implements api.Service.
func (f *Fake) SetMachines(ctx context.Context, s machines.Settings) (machines.Machines, error) {
	if err := f.refused("SetMachines"); err != nil {
		return machines.Machines{}, err
	}
	f.Machinery.mu.Lock()
	f.Machinery.chosen = &s
	f.Machinery.mu.Unlock()
	m, err := f.Machines(ctx)
	f.Publish(task.Event{Kind: task.EventMachines, Data: m})
	return m, err
}

// PrepareMachines implements api.Service.
func (f *Fake) PrepareMachines(ctx context.Context) (machines.Machines, error) {
	if err := f.refused("PrepareMachines"); err != nil {
		return machines.Machines{}, err
	}
	f.Machinery.mu.Lock()
	f.Machinery.ready = true
	f.Machinery.mu.Unlock()
	return f.Machines(ctx)
}
