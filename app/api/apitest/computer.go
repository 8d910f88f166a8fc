package apitest

import (
	"context"
	"slices"
	"time"

	"piwork/app/capacity"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/saved"
	"piwork/app/setup"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/upkeep"
)

// Machines is of the service: a computer with 16 GB, on which what was chosen is done.
func (f *Fake) Machines(context.Context) (machines.Machines, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	host := capacity.Host{MemoryMB: 16 << 10, FreeMB: 8 << 10, CPUs: 8}
	s := has[machines.Settings](f)
	if s == (machines.Settings{}) {
		s.Instant = true
	}
	c := capacity.Choice{MemoryMB: s.MemoryMB, CPUs: s.CPUs, TotalMB: s.TotalMB, Machines: s.AtOnce}
	m := machines.Machines{
		Host: host, Size: capacity.SizeOf(host, c), TotalMB: capacity.Budget(host, c), AtOnce: capacity.Machines(host, c),
		Instant: has[machines.WarmStart](f), Share: machines.Share{Kind: machines.Share9P, Reason: machines.ShareUntried}, Settings: s,
	}
	if s.Share != "" && s.Share != machines.ShareAuto {
		m.Share = machines.Share{Kind: s.Share, Reason: machines.ShareChosen}
	}
	if m.Instant.State == "" {
		m.Instant = machines.WarmStart{State: machines.WarmPending, Reason: machines.WarmSetup}
	}
	return m, f.refused("Machines")
}

// SetMachines is of the service.
func (f *Fake) SetMachines(ctx context.Context, s machines.Settings) (machines.Machines, error) {
	if _, err := answered[machines.Settings](f, "SetMachines", s); err != nil {
		return machines.Machines{}, err
	}
	m, err := f.Machines(ctx)
	f.Publish(task.Event{Kind: task.EventMachines, Data: m})
	return m, err
}

// PrepareMachines is of the service.
func (f *Fake) PrepareMachines(ctx context.Context) (machines.Machines, error) {
	ready := machines.WarmStart{State: machines.WarmReady, Mode: machines.WarmTemplate, Bytes: 300_000_000}
	if _, err := answered[machines.WarmStart](f, "PrepareMachines", ready); err != nil {
		return machines.Machines{}, err
	}
	return f.Machines(ctx)
}

// CleanStorage is of the service.
func (f *Fake) CleanStorage(_ context.Context, r upkeep.CleanRequest) (upkeep.Cleaned, error) {
	out, err := answered[upkeep.Cleaned](f, "CleanStorage", r)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range has[upkeep.Storage](f).Items {
		for _, what := range r.What {
			if item.What == what {
				out.Freed += item.Frees
			}
		}
	}
	return out, err
}

// MoveStorage is of the service. A move is done when it was looked at twice.
func (f *Fake) MoveStorage(_ context.Context, r upkeep.MoveRequest) (upkeep.StorageMove, error) {
	s := upkeep.StorageMove{Phase: upkeep.MovePlanned, From: "/data", To: r.Dir + "/piwork", Bytes: 100, Files: 3, NeedBytes: 200, FreeBytes: 1000}
	if err := f.asked("MoveStorage", r); err != nil || r.DryRun {
		return s, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Phase = upkeep.MoveCopying
	put(f, s)
	half, done := s, s
	half.Done, done.Done, done.Phase = 50, 100, upkeep.MoveDone
	f.Has = append(f.Has, half, done)
	return s, nil
}

// CancelMove is of the service.
func (f *Fake) CancelMove(context.Context) (upkeep.StorageMove, error) {
	s, err := answered[upkeep.StorageMove](f, "CancelMove")
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.Phase == upkeep.MoveCopying {
		s.Phase = upkeep.MoveCancelled
	}
	return put(f, s), err
}

// Logs is of the service.
func (f *Fake) Logs(context.Context) (upkeep.Logs, error) {
	out := upkeep.Logs{Logs: []upkeep.LogInfo{}}
	for name, text := range f.LogText {
		out.Logs = append(out.Logs, upkeep.LogInfo{Name: name, Bytes: int64(len(text))})
	}
	return out, f.refused("Logs")
}

// Log is of the service.
func (f *Fake) Log(_ context.Context, name string, tail int64) ([]byte, error) {
	text, there := f.LogText[name]
	if !there {
		return nil, problem.New(problem.CodeNotFound).With("log", name)
	}
	if tail > 0 && int64(len(text)) > tail {
		text = text[int64(len(text))-tail:]
	}
	return []byte(text), f.refused("Log")
}

// WriteDiagnostics is of the service.
func (f *Fake) WriteDiagnostics(_ context.Context, r upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error) {
	return upkeep.DiagnosticsFile{Path: r.Path, Bytes: 7}, f.asked("WriteDiagnostics", r)
}

// Wizard is of the service.
func (f *Fake) Wizard(context.Context) (wizard.Wizard, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return wizard.Look(has[wizard.Memory](f), f.wizardFacts()), f.refused("Wizard")
}

func (f *Fake) wizardFacts() wizard.Facts {
	report := has[setup.Report](f)
	return wizard.Facts{Report: &report}
}

// WizardAct is of the service.
func (f *Fake) WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error) {
	f.mu.Lock()
	m, err := wizard.Do(has[wizard.Memory](f), f.wizardFacts(), step, r.Act, time.Unix(0, 0))
	put(f, m)
	f.mu.Unlock()
	if err != nil {
		return wizard.Wizard{}, problem.New(problem.CodeBadRequest).Because(err)
	}
	return f.Wizard(ctx)
}

// RemoveSavedChore is of the service.
func (f *Fake) RemoveSavedChore(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := has[[]saved.SavedChore](f)
	left := slices.DeleteFunc(slices.Clone(list), func(s saved.SavedChore) bool { return s.ID == id })
	if len(left) == len(list) {
		return problem.New(problem.CodeNotFound)
	}
	put(f, left)
	return nil
}
