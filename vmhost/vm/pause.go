package vm

import (
	"context"
	"errors"
	"fmt"

	"piwork/vmhost/wire"
)

// Pause stops the machine of a ready VM: for one that waits for a person. What
// is under way goes on after Resume, and no patience ends meanwhile. Pausing a
// paused VM does nothing.
func (v *VM) Pause(ctx context.Context) error {
	if err := v.life.Err(); err != nil {
		return err
	}
	return v.m.pause(ctx)
}

// Resume lets a paused VM run on, with the right time. When it fails the VM is
// still paused, or nobody knows: then its time runs, so that it is found to hang if it does.
func (v *VM) Resume(ctx context.Context) error {
	if err := v.life.Err(); err != nil {
		return err
	}
	if err := v.m.resume(ctx); err != nil {
		return err
	}
	v.m.pushClock()
	return nil
}

// Paused tells whether the VM is paused.
func (v *VM) Paused() bool {
	m := v.machine()
	return m != nil && m.clock.Stopped()
}

// pause stops the machine and its clock.
func (m *machine) pause(ctx context.Context) error {
	return m.standStill(ctx, true, func() error {
		if err := m.proc.Pause(ctx); err != nil {
			m.parts.Go(m.runOn) // it may have heard, and nobody would resume it
			return fmt.Errorf("pause the VM: %w", err)
		}
		m.clock.Stop()
		return nil
	})
}

// resume lets a paused machine and its clock go on.
func (m *machine) resume(ctx context.Context) error {
	return m.standStill(ctx, false, func() error {
		m.clock.Start()
		if err := m.proc.Resume(ctx); err != nil {
			return fmt.Errorf("resume the VM: %w", err)
		}
		return nil
	})
}

// runOn has a machine run whose pause failed.
func (m *machine) runOn() {
	ctx, cancel := m.clock.Timeout(m.life, m.timing.hung, errors.New("no answer"))
	defer cancel()
	err := m.standStill(ctx, true, func() error { return m.proc.Resume(ctx) })
	if err != nil && m.life.Err() == nil {
		m.log.Warn("a machine that could not be paused was not told to go on", "err", err)
	}
}

// standStill does f when the machine is not in that state yet, one at a time.
func (m *machine) standStill(ctx context.Context, still bool, f func() error) error {
	select {
	case m.pausing <- struct{}{}:
		defer func() { <-m.pausing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if m.clock.Stopped() == still {
		return nil
	}
	return f()
}

// jumped hears that this computer slept, or that its clock was set.
func (m *machine) jumped() { m.parts.Go(m.pushClock) }

// pushClock gives a task's guest the host's time. It is no failure when that
// does not succeed: the time is wrong then, and whether the agent is there is
// found out elsewhere.
func (m *machine) pushClock() {
	m.mu.Lock()
	tasks := m.owner.step == nil
	m.mu.Unlock()
	if !tasks || m.clock.Stopped() || !m.can(wire.CanClock) {
		return
	}
	ctx, cancel := m.clock.Timeout(m.life, m.timing.hung, errors.New("no answer"))
	defer cancel()
	err := m.conv.Call(ctx, wire.MethodClock, wire.ClockParams{UnixNano: m.clock.Wall().UnixNano()}, nil)
	if err != nil && m.life.Err() == nil {
		m.log.Warn("the guest does not take the time", "err", err)
	}
}
