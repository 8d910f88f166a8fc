package apitest

import (
	"context"
	"os"
	"slices"
	"time"

	"piwork/app/capacity"
	"piwork/app/health"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/saved"
	"piwork/app/setup"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/upkeep"
)

// computer is the computer's side: checks, machines, storage, logs and the wizard.
type computer struct{ *core }

// Status is a second later with each check.
func (f computer) Status(_ context.Context, recheck bool) (setup.Report, error) {
	r, err := answered[setup.Report](f.core, "Status")
	if recheck {
		r.Time = r.Time.Add(time.Second)
	}
	return r, err
}

func (f computer) SetSlowMode(ctx context.Context, s health.SlowMode) (setup.Report, error) {
	if _, err := answered[health.SlowMode](f.core, "SetSlowMode", s); err != nil {
		return setup.Report{}, err
	}
	change(f.core, func(r *setup.Report) { r.Accel.SlowMode = s.On })
	return f.Status(ctx, true)
}

// Machines are those of a computer with 16 GB, on which what was chosen is done.
func (f computer) Machines(context.Context) (machines.Machines, error) {
	host := capacity.Host{MemoryMB: 16 << 10, FreeMB: 8 << 10, CPUs: 8}
	s := value[machines.Settings](f.core)
	if s == (machines.Settings{}) {
		s.Instant = true
	}
	c := capacity.Choice{MemoryMB: s.MemoryMB, CPUs: s.CPUs, TotalMB: s.TotalMB, Machines: s.AtOnce}
	m := machines.Machines{
		Host: host, Size: capacity.SizeOf(host, c), TotalMB: capacity.Budget(host, c), AtOnce: capacity.Machines(host, c),
		Instant: value[machines.WarmStart](f.core), Share: machines.Share{Kind: machines.Share9P, Reason: machines.ShareUntried}, Settings: s,
	}
	if s.Share != "" && s.Share != machines.ShareAuto {
		m.Share = machines.Share{Kind: s.Share, Reason: machines.ShareChosen}
	}
	if m.Instant.State == "" {
		m.Instant = machines.WarmStart{State: machines.WarmPending, Reason: machines.WarmSetup}
	}
	return m, f.refused("Machines")
}

func (f computer) SetMachines(ctx context.Context, s machines.Settings) (machines.Machines, error) {
	if _, err := answered[machines.Settings](f.core, "SetMachines", s); err != nil {
		return machines.Machines{}, err
	}
	m, err := f.Machines(ctx)
	f.Publish(task.Event{Kind: task.EventMachines, Data: m})
	return m, err
}

func (f computer) PrepareMachines(ctx context.Context) (machines.Machines, error) {
	ready := machines.WarmStart{State: machines.WarmReady, Mode: machines.WarmTemplate, Bytes: 300_000_000}
	if _, err := answered[machines.WarmStart](f.core, "PrepareMachines", ready); err != nil {
		return machines.Machines{}, err
	}
	return f.Machines(ctx)
}

func (f computer) CleanStorage(_ context.Context, r upkeep.CleanRequest) (upkeep.Cleaned, error) {
	out, err := answered[upkeep.Cleaned](f.core, "CleanStorage", r)
	for _, item := range value[upkeep.Storage](f.core).Items {
		if slices.Contains(r.What, item.What) {
			out.Freed += item.Frees
		}
	}
	return out, err
}

// MoveStorage begins one. A move is done when it was looked at twice.
func (f computer) MoveStorage(_ context.Context, r upkeep.MoveRequest) (upkeep.StorageMove, error) {
	s := upkeep.StorageMove{Phase: upkeep.MovePlanned, From: "/data", To: r.Dir + "/piwork", Bytes: 100, Files: 3, NeedBytes: 200, FreeBytes: 1000}
	if err := f.asked("MoveStorage", r); err != nil || r.DryRun {
		return s, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Phase = upkeep.MoveCopying
	put(f.core, s)
	half, done := s, s
	half.Done, done.Done, done.Phase = 50, 100, upkeep.MoveDone
	f.Has = append(f.Has, half, done)
	return s, nil
}

func (f computer) CancelMove(context.Context) (upkeep.StorageMove, error) {
	if err := f.refused("CancelMove"); err != nil {
		return upkeep.StorageMove{}, err
	}
	return change(f.core, func(s *upkeep.StorageMove) {
		if s.Phase == upkeep.MoveCopying {
			s.Phase = upkeep.MoveCancelled
		}
	}), nil
}

func (f computer) Logs(context.Context) (upkeep.Logs, error) {
	out := upkeep.Logs{Logs: []upkeep.LogInfo{}}
	for name, text := range f.LogText {
		out.Logs = append(out.Logs, upkeep.LogInfo{Name: name, Bytes: int64(len(text))})
	}
	return out, f.refused("Logs")
}

func (f computer) Log(_ context.Context, name string, tail int64) ([]byte, error) {
	text, there := f.LogText[name]
	if !there {
		return nil, problem.New(problem.CodeNotFound).With("log", name)
	}
	if tail > 0 && int64(len(text)) > tail {
		text = text[int64(len(text))-tail:]
	}
	return []byte(text), f.refused("Log")
}

func (f computer) WriteDiagnostics(_ context.Context, r upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error) {
	if _, err := os.Lstat(r.Path); err == nil && !r.Replace {
		return upkeep.DiagnosticsFile{}, problem.New(problem.CodeOutputExists).With("path", r.Path)
	}
	return upkeep.DiagnosticsFile{Path: r.Path, Bytes: 7}, f.asked("WriteDiagnostics", r)
}

func (f computer) Wizard(context.Context) (wizard.Wizard, error) {
	return wizard.Look(value[wizard.Memory](f.core), f.wizardFacts()), f.refused("Wizard")
}

func (f computer) wizardFacts() wizard.Facts {
	report := value[setup.Report](f.core)
	return wizard.Facts{Report: &report}
}

func (f computer) WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error) {
	var err error
	facts := f.wizardFacts()
	change(f.core, func(m *wizard.Memory) { *m, err = wizard.Do(*m, facts, step, r.Act, time.Unix(0, 0)) })
	if err != nil {
		return wizard.Wizard{}, problem.New(problem.CodeBadRequest).Because(err)
	}
	return f.Wizard(ctx)
}

func (f computer) RemoveSavedChore(_ context.Context, id string) error {
	if !dropped(f.core, func(s saved.SavedChore) bool { return s.ID == id }) {
		return problem.New(problem.CodeNotFound)
	}
	return nil
}
