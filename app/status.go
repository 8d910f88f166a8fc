package app

import (
	"context"
	"errors"
	"piwork/app/runtimepack"
	"slices"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// Status returns the last report, or makes one; see Service.
func (c *Controller) Status(ctx context.Context, recheck bool) (setup.Report, error) {
	c.mu.Lock()
	last := c.report
	c.mu.Unlock()
	if last != nil && !recheck {
		return *last, nil
	}
	return c.look(ctx, setup.Ask{Recheck: recheck})
}

// look makes a report and tells everybody.
func (c *Controller) look(ctx context.Context, ask setup.Ask) (setup.Report, error) {
	if ask.Recheck {
		c.mu.Lock()
		c.hopeless = ""
		c.mu.Unlock()
		c.Pool.Retry()
	}
	ask.Seen = func(check setup.Check) { c.events.Publish(task.Event{Kind: task.EventCheck, Data: check}) }
	rep, machine, err := c.check(ctx, ask)
	if err != nil {
		return rep, problem.From(err)
	}
	c.Pool.SetBasis(rep, machine)
	c.Offer(ctx, &rep)
	c.mu.Lock()
	c.report = &rep
	c.mu.Unlock()
	c.events.Publish(task.Event{Kind: task.EventStatus, Data: rep})
	if rep.Ready {
		c.Manager.TryCandidate()
	}
	return rep, nil
}

// check makes a report. A runtime that stopped booting is taken back first, where
// the one before it still boots.
func (c *Controller) check(ctx context.Context, ask setup.Ask) (setup.Report, setup.Machine, error) {
	rep, machine, err := c.setup.Check(ctx, ask)
	if err != nil || rep.Ready || !sick(rep) || c.o.PackDir != "" {
		return rep, machine, err
	}
	c.mu.Lock()
	known := c.hopeless == rep.Pack.Version
	c.mu.Unlock()
	if known {
		return rep, machine, nil
	}
	healed, err := c.Manager.Heal(ctx)
	switch {
	case ctx.Err() != nil:
		return rep, setup.Machine{}, context.Cause(ctx)
	case err != nil:
		c.log.Error("the runtime does not boot and could not be taken back", "error", err)
	case healed, c.Manager.State().Current != rep.Pack.Version: // or suspect had it taken back meanwhile
		if p, err := c.Current(ctx); err == nil {
			c.setup.Doubt(p.Image.ID)
		}
		return c.setup.Check(ctx, setup.Ask{Slow: ask.Slow})
	}
	c.mu.Lock()
	c.hopeless = rep.Pack.Version
	c.mu.Unlock()
	return rep, machine, nil
}

// suspect is told why a task's machine did not come up. Whether it is the
// runtime is found out: the next check boots it anew, and, once for each version,
// so does upkeep when no task is at work, which takes it back where the one before
// comes up. One that is damaged is for a repair.
func (c *Controller) suspect(m setup.Machine, because error) {
	if c.damaged(m, because) {
		return
	}
	c.setup.Doubt(m.Pack.Image.ID)
	c.packChanged()
	version := m.Pack.State.Version
	c.mu.Lock()
	known := c.suspected[version] || c.registry.Base().Err() != nil || c.o.PackDir != ""
	c.suspected[version] = true
	c.mu.Unlock()
	if known {
		return
	}
	base := c.registry.Base()
	c.registry.Go(func() {
		if c.registry.UntilIdle(base) != nil {
			return
		}
		if _, err := c.Manager.Heal(base); err != nil && base.Err() == nil {
			c.log.Error("a runtime that did not come up could not be looked at", "version", version, "error", err)
		}
	})
}

// damaged reports whether a machine failed because an image is not what was
// signed. Then the next checks read all of it, until it is sound again: what a
// guest checks by itself they leave out otherwise.
func (c *Controller) damaged(m setup.Machine, err error) bool {
	if !imageDamaged(err) {
		return false
	}
	c.mu.Lock()
	c.unsound[m.Pack.Image.ID] = true
	c.mu.Unlock()
	c.packChanged()
	return true
}

func imageDamaged(err error) bool {
	var failed *vmhost.FailedError
	return errors.As(err, &failed) && failed.Reason == vmhost.ReasonDamaged
}

// verifier checks a pack, and all of it while a guest found it damaged.
func (c *Controller) verifier(p runtimepack.Current) func(ctx context.Context, full bool) error {
	return func(ctx context.Context, full bool) error {
		c.mu.Lock()
		unsound := c.unsound[p.Image.ID]
		c.mu.Unlock()
		err := p.Verify(ctx, full || unsound)
		if err == nil && unsound {
			c.mu.Lock()
			delete(c.unsound, p.Image.ID)
			c.mu.Unlock()
		}
		return err
	}
}

// reverify checks what a machine is about to be started from. The wall clock says
// how old the last check is: a computer that slept did not look meanwhile.
//
// A restored machine runs nothing of the pack but QEMU, beside images that its
// guest checks block by block; the kernel and the first programs are in the saved
// memory, which is the program's own. It must not boot after all without a check of
// the rest: vm.Config.beforeBoot.
func (c *Controller) reverify(ctx context.Context, m setup.Machine, restored bool) error {
	c.mu.Lock()
	p := c.inUse
	unsound := c.unsound[m.Pack.Image.ID]
	c.mu.Unlock()
	var err error
	if restored && !unsound && p.VerifyRestore != nil && p.Image.ID == m.Pack.Image.ID {
		if err = p.VerifyRestore(ctx); err != nil && ctx.Err() == nil {
			err = problem.Installed(err)
		}
	} else {
		err = m.Reverify(ctx, c.now().Round(0))
	}
	if err != nil && ctx.Err() == nil {
		c.packChanged()
	}
	return err
}

// sick reports whether a runtime that is as it was signed does not boot, not even
// in the slow mode where that was tried.
func sick(rep setup.Report) bool {
	return rep.Pack.Verified && rep.Accel.SlowMS == 0 && slices.ContainsFunc(rep.Checks, func(c setup.Check) bool {
		return c.Code == setup.CheckAccelBoot && c.State == setup.CheckFailed
	})
}

// packChanged forgets what was found out about the runtime before.
func (c *Controller) packChanged() {
	c.mu.Lock()
	c.report, c.hopeless = nil, ""
	c.mu.Unlock()
	c.Pool.Invalidate()
}

// SetSlowMode saves the choice and looks again.
func (c *Controller) SetSlowMode(ctx context.Context, on bool) (setup.Report, error) {
	if err := c.config.Update(func(s *choices) error { s.SlowMode = on; return nil }); err != nil {
		return setup.Report{}, problem.From(err)
	}
	return c.look(ctx, setup.Ask{})
}

// slowBy says who chose the slow mode for every task.
func (c *Controller) slowBy() string {
	switch {
	case c.o.Accel == string(qemu.AccelTCG):
		return setup.ByEnvironment
	case c.config.Get().SlowMode:
		return setup.BySettings
	default:
		return ""
	}
}

// packForSetup shows setup the pack that tasks run on.
func (c *Controller) packForSetup(ctx context.Context) (setup.Pack, error) {
	p, err := c.Current(ctx)
	if errors.Is(err, runtimepack.ErrNoPack) {
		return setup.Pack{}, setup.ErrNoPack
	}
	if err != nil {
		return setup.Pack{}, err
	}
	c.mu.Lock()
	c.inUse = p
	c.mu.Unlock()
	return setup.Pack{
		State: setup.PackState{
			Version: p.Info.Version, Developer: p.Info.Developer, Dir: p.Info.Dir,
			Flavour: string(p.Info.Flavour), Missing: p.Info.Flavour.Abilities().Missing(),
		},
		Image:  p.Image,
		Verify: c.verifier(p),
		Lease:  p.Lease,
	}, nil
}
