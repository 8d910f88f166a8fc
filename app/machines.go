package app

import (
	"context"
	"errors"

	"piwork/app/capacity"
	"piwork/app/problem"
	"piwork/app/task"
)

// Machines says how this computer is shared out.
func (c *Controller) Machines(ctx context.Context) (Machines, error) {
	host, err := c.s.host(ctx)
	if err != nil {
		return Machines{}, problem.From(err)
	}
	return c.machinesOn(host), nil
}

func (c *Controller) machinesOn(host capacity.Host) Machines {
	chosen := c.config.Get().Machines
	chosen.Share = c.instant.share.chosen()
	m := Machines{
		Host: host, Size: capacity.SizeOf(host, chosen.choice()),
		TotalMB: capacity.Budget(host, chosen.choice()), AtOnce: capacity.Machines(host, chosen.choice()),
		Instant:  c.instant.now(),
		Settings: chosen,
	}
	m.Share = c.instant.stands(m.Size)
	m.Running, m.Queued = c.places.counts()
	return m
}

// SetMachines saves the choices, unless this computer cannot follow one of them.
func (c *Controller) SetMachines(ctx context.Context, s MachineSettings) (Machines, error) {
	host, err := c.s.host(ctx)
	if err != nil {
		return Machines{}, problem.From(err)
	}
	if err := s.choice().Check(host); err != nil {
		return Machines{}, choiceProblem(err)
	}
	if s.Share == ShareAuto { // as if nothing had been chosen
		s.Share = ""
	}
	if s.Share != "" && s.Share != Share9P && s.Share != ShareVirtioFS {
		p := problem.New(problem.CodeBadRequest)
		p.Cause = "share"
		return Machines{}, p
	}
	if err := c.config.Update(func(all *choices) error { all.Machines = s; return nil }); err != nil {
		return Machines{}, problem.From(err)
	}
	c.places.changed()
	c.instant.share.again()
	c.instant.look()
	c.tellMachines()
	return c.machinesOn(host), nil
}

// PrepareMachines makes ready what lets machines be there at once; see Service.
func (c *Controller) PrepareMachines(ctx context.Context) (Machines, error) {
	rep, err := c.Status(ctx, false)
	if err != nil {
		return Machines{}, err
	}
	if !rep.Ready {
		return Machines{}, notReady(rep)
	}
	if err := c.instant.prepare(ctx); err != nil {
		return Machines{}, problem.From(err)
	}
	return c.Machines(ctx)
}

// sizeFor is the size of the machine that a request asks for.
func (c *Controller) sizeFor(ctx context.Context, r StartRequest) (capacity.Size, error) {
	host, err := c.s.host(ctx)
	if err != nil {
		c.log.Warn("it is not known how large this computer is", "error", err)
		host = unknownHost
	}
	own := capacity.Choice{MemoryMB: r.MemoryMB, CPUs: r.CPUs}
	if err := own.Check(host); err != nil {
		return capacity.Size{}, choiceProblem(err)
	}
	return capacity.SizeOf(host, c.config.Get().Machines.choice().Over(own)), nil
}

// machineSize is that of a machine whose task asks for nothing else.
func (c *Controller) machineSize() capacity.Size {
	ctx, cancel := context.WithTimeout(context.Background(), lookAgain)
	defer cancel()
	host, err := c.s.host(ctx)
	if err != nil {
		host = unknownHost
	}
	return capacity.SizeOf(host, c.config.Get().Machines.choice())
}

// choiceProblem is the problem of a choice that cannot be followed. Its cause is
// the name of the member.
func choiceProblem(err error) *problem.Problem {
	p := problem.New(problem.CodeMachineSettings).Because(err)
	var refused *capacity.ChoiceError
	if errors.As(err, &refused) {
		p = p.With("value", refused.Value).With("min", refused.Min).With("max", refused.Max)
		p.Cause = refused.Field
	}
	return p
}

// tellMachines tells everybody how things stand.
func (c *Controller) tellMachines() {
	ctx, cancel := context.WithTimeout(c.base, lookAgain)
	defer cancel()
	if m, err := c.Machines(ctx); err == nil {
		c.events.Publish(task.Event{Kind: task.EventMachines, Data: m})
	}
}
