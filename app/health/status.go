package health

import (
	"context"
	"errors"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"slices"
)

// Status returns the last report, or makes one.
func (h *Health) Status(ctx context.Context, recheck bool) (setup.Report, error) {
	if last := h.Last(); last != nil && !recheck {
		return *last, nil
	}
	return h.look(ctx, setup.Ask{Recheck: recheck})
}

// look makes a report and tells everybody.
func (h *Health) look(ctx context.Context, ask setup.Ask) (setup.Report, error) {
	if ask.Recheck {
		h.mu.Lock()
		h.hopeless = ""
		h.mu.Unlock()
		h.fleet.Pool.Retry()
	}
	ask.Seen = func(check setup.Check) { h.o.Events.Publish(task.Event{Kind: task.EventCheck, Data: check}) }
	rep, machine, err := h.Check(ctx, ask)
	if err != nil {
		return rep, problem.From(err)
	}
	h.fleet.Pool.SetBasis(rep, machine)
	h.runtime.Offer(ctx, &rep)
	h.mu.Lock()
	h.report = &rep
	h.mu.Unlock()
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
	known := h.hopeless == rep.Pack.Version
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
	h.hopeless = rep.Pack.Version
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
	h.report, h.hopeless = nil, ""
	h.mu.Unlock()
	h.fleet.Pool.Invalidate()
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

// Ready returns what a task runs on. Where its machine will be restored, what was
// found out about this computer still holds; else everything is looked at.
func (h *Health) Ready(ctx context.Context, slow bool) (setup.Report, setup.Machine, error) {
	if rep, machine, ok := h.fleet.Pool.Known(); ok && !slow {
		return rep, machine, nil
	}
	rep, machine, err := h.Check(ctx, setup.Ask{Slow: slow})
	if err != nil {
		return rep, machine, err
	}
	if !slow {
		h.fleet.Pool.SetBasis(rep, machine)
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
