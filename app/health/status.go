package health

import (
	"context"
	"errors"
	"slices"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost/qemu"
)

// Status returns the last report, or makes one.
func (h *Health) Status(ctx context.Context, recheck bool) (setup.Report, error) {
	if last := h.Last(); last != nil && !recheck {
		return *last, nil
	}
	return h.look(ctx, setup.Ask{Recheck: recheck})
}

// maxLooks is how often look begins anew because something changed meanwhile. After that
// nothing is kept, and the next Status looks again.
const maxLooks = 3

// look makes a report and tells everybody. A look takes minutes where the runtime is booted
// to prove it: when the runtime changes meanwhile, what was found out about the one before
// is not kept, and look begins anew.
func (h *Health) look(ctx context.Context, ask setup.Ask) (setup.Report, error) {
	if ask.Recheck {
		h.mu.Lock()
		h.quarantined = ""
		h.mu.Unlock()
		h.fleet.Pool.Retry()
	}
	ask.Seen = func(check setup.Check) { h.o.Events.Publish(task.Event{Kind: task.EventCheck, Data: check}) }
	var rep setup.Report
	for range maxLooks {
		before := h.changesSoFar()
		var machine setup.Machine
		var err error
		if rep, machine, err = h.Check(ctx, ask); err != nil {
			return rep, problem.From(err)
		}
		h.runtime.Offer(ctx, &rep)
		if h.setBasis(before, rep, machine) && h.keep(before, rep) {
			break
		}
	}
	h.o.Events.Publish(task.Event{Kind: task.EventStatus, Data: rep})
	if rep.Ready {
		h.runtime.TryCandidate()
	}
	return rep, nil
}

// Check makes a report. A runtime that stopped booting is taken back first, where
// the one before it still boots.
func (h *Health) Check(ctx context.Context, ask setup.Ask) (setup.Report, setup.Machine, error) {
	rep, machine, err := h.setup.Check(ctx, ask)
	if err != nil || rep.Ready || !sick(rep) || h.o.Fixed {
		return rep, machine, err
	}
	h.mu.Lock()
	known := h.quarantined == rep.Pack.Version
	h.mu.Unlock()
	if known {
		return rep, machine, nil
	}
	healed, err := h.runtime.Heal(ctx)
	switch {
	case ctx.Err() != nil:
		return rep, setup.Machine{}, context.Cause(ctx)
	case err != nil:
		h.o.Log.Error("the runtime does not boot and could not be taken back", "error", err)
	case healed, h.runtime.State().Current != rep.Pack.Version: // or suspect had it taken back meanwhile
		if p, err := h.runtime.Current(ctx); err == nil {
			h.setup.Doubt(p.Image.ID)
		}
		return h.setup.Check(ctx, setup.Ask{Slow: ask.Slow})
	}
	h.mu.Lock()
	h.quarantined = rep.Pack.Version
	h.mu.Unlock()
	return rep, machine, nil
}

// sick reports whether a runtime that is as it was signed does not boot, not even
// in the slow mode where that was tried.
func sick(rep setup.Report) bool {
	return rep.Pack.Verified && rep.Accel.SlowMS == 0 && slices.ContainsFunc(rep.Checks, func(c setup.Check) bool {
		return c.Code == setup.CheckAccelBoot && c.State == setup.CheckFailed
	})
}

// Changed forgets what was found out about the runtime before.
func (h *Health) Changed() {
	h.mu.Lock()
	h.report, h.quarantined = nil, ""
	h.changes++
	h.mu.Unlock()
	h.fleet.Pool.Invalidate()
}

// changesSoFar is how often something changed; who asks for it before a check can tell
// afterwards whether the check still holds.
func (h *Health) changesSoFar() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changes
}

// setBasis tells the warm pool what tasks run on, and reports whether that still holds: not
// when something changed since before.
func (h *Health) setBasis(before int, rep setup.Report, m setup.Machine) bool {
	if h.changesSoFar() != before {
		return false
	}
	h.fleet.Pool.SetBasis(rep, m)
	if h.changesSoFar() == before {
		return true
	}
	h.fleet.Pool.Invalidate() // Changed may have done so before SetBasis
	return false
}

// keep remembers a report, unless something changed since before.
func (h *Health) keep(before int, rep setup.Report) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changes != before {
		return false
	}
	h.report = &rep
	return true
}

// SlowMode is whether the person chose that tasks run without acceleration.
type SlowMode struct {
	On bool `json:"on"`
}

// SlowMode returns the choice, whatever holds for this run of the program.
func (h *Health) SlowMode(context.Context) (SlowMode, error) {
	return SlowMode{h.o.SlowMode.Get()}, nil
}

// SetSlowMode saves the choice and looks again.
func (h *Health) SetSlowMode(ctx context.Context, r SlowMode) (setup.Report, error) {
	if err := h.o.SlowMode.Set(r.On); err != nil {
		return setup.Report{}, problem.From(err)
	}
	return h.look(ctx, setup.Ask{})
}

// slowBy says who chose the slow mode for every task.
func (h *Health) slowBy() string {
	switch {
	case h.o.Forced:
		return setup.ByEnvironment
	case h.o.SlowMode.Get():
		return setup.BySettings
	default:
		return ""
	}
}

// Accel is the accelerator that tasks use, unless one asks for the slow mode itself.
func (h *Health) Accel() qemu.Accel { return h.setup.Accel() }

// Ready returns what a task runs on. Where its machine will be restored, what was
// found out about this computer still holds; else everything is looked at.
func (h *Health) Ready(ctx context.Context, slow bool) (setup.Report, setup.Machine, error) {
	if rep, machine, ok := h.fleet.Pool.Known(); ok && !slow {
		return rep, machine, nil
	}
	before := h.changesSoFar()
	rep, machine, err := h.Check(ctx, setup.Ask{Slow: slow})
	if err != nil {
		return rep, machine, err
	}
	if !slow {
		h.setBasis(before, rep, machine)
	}
	if !rep.Ready {
		return rep, machine, rep.Err()
	}
	return rep, machine, nil
}

// Files returns the runtime pack for a place that boots no machine of it. Nothing of it is
// checked here: who takes something out of it does that first.
func (h *Health) Files(ctx context.Context) (setup.Machine, error) {
	p, err := h.packForSetup(ctx)
	if errors.Is(err, setup.ErrNoPack) {
		return setup.Machine{}, problem.New(problem.CodePackMissing)
	}
	if err != nil && ctx.Err() == nil {
		err = problem.Installed(err)
	}
	if err != nil {
		return setup.Machine{}, problem.From(err)
	}
	return setup.Machine{Pack: p}, nil
}

// Last is the last report, nil when something changed since.
func (h *Health) Last() *setup.Report {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.report
}
