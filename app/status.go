package app

import (
	"context"
	"errors"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
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
	rep, _, err := c.setup.Check(ctx, ask)
	if err != nil {
		return rep, problem.From(err)
	}
	c.mu.Lock()
	c.report = &rep
	c.mu.Unlock()
	c.hub.publish(task.Event{Kind: task.EventStatus, Data: rep})
	return rep, nil
}

// SetSlowMode saves the choice and looks again.
func (c *Controller) SetSlowMode(ctx context.Context, on bool) (setup.Report, error) {
	if err := c.config.set(func(s *settings) { s.SlowMode = on }); err != nil {
		return setup.Report{}, problem.From(err)
	}
	return c.look(ctx, setup.Ask{})
}

// slowBy says who chose the slow mode for every task.
func (c *Controller) slowBy() string {
	switch {
	case c.o.Accel == string(qemu.AccelTCG):
		return setup.ByEnvironment
	case c.config.get().SlowMode:
		return setup.BySettings
	default:
		return ""
	}
}

// packForSetup shows setup the pack that tasks run on.
func (c *Controller) packForSetup(ctx context.Context) (setup.Pack, error) {
	p, err := c.s.packs.current(ctx)
	if errors.Is(err, errNoPack) {
		return setup.Pack{}, setup.ErrNoPack
	}
	if err != nil {
		return setup.Pack{}, err
	}
	return setup.Pack{
		State: setup.PackState{
			Version: p.info.Version, Developer: p.info.Developer, Dir: p.info.Dir,
		},
		Image:  p.image,
		Verify: p.verify,
	}, nil
}
