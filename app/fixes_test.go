package app

import (
	"context"
	"testing"

	"piwork/app/health"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
)

// Everybody hears of each check while a report is made.
func TestChecksAreHeardOfOneByOne(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	rep, err := c.Status(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]setup.CheckState{}
	for e := range events {
		if e.Kind == task.EventCheck {
			check := e.Data.(setup.Check)
			last[check.Code] = check.State
		}
		if e.Kind == task.EventStatus {
			break
		}
	}
	for _, check := range rep.Checks {
		if last[check.Code] != check.State {
			t.Errorf("%s is %s, and was heard of as %q", check.Code, check.State, last[check.Code])
		}
	}
	if len(last) != len(rep.Checks) {
		t.Errorf("heard of %v, reported %v", last, rep.Checks)
	}
}

// Only what the last report offers is ever asked of an administrator.
func TestMendIsOnlyWhatIsOffered(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	for range 2 {
		for _, fix := range []string{problem.FixCheckAgain, problem.FixKVMGroup, "rm", ""} {
			if _, err := c.Mend(t.Context(), health.MendRequest{Fix: fix}); codeOf(err) != problem.CodeBadRequest {
				t.Errorf("%q: %v", fix, err)
			}
		}
		if _, err := c.Status(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
}

// changesDuring has the first look that check makes end only after the runtime became
// version 0.9.1.
func changesDuring(t *testing.T, check func(*Controller) error) *Controller {
	t.Helper()
	w, k := instantWorld(t)
	k.found = true // so that the warm pool relies on what it is told
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	w.onProve = func(ctx context.Context) error {
		begun <- struct{}{}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	c := w.open()
	ended := make(chan error, 1)
	go func() { ended <- check(c) }()
	<-begun
	w.set(func() { w.version = "0.9.1" })
	c.Changed()
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return c
}

// What a look finds out about a runtime is not kept when there is another by then.
func TestRuntimeChangesDuringALook(t *testing.T) {
	c := changesDuring(t, func(c *Controller) error {
		rep, err := c.Status(t.Context(), true)
		if rep.Pack.Version != "0.9.1" {
			t.Errorf("the look reports %q", rep.Pack.Version)
		}
		return err
	})
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Pack.Version != "0.9.1" {
		t.Errorf("kept: %q %v", rep.Pack.Version, err)
	}
	if rep, m, ok := c.Pool.Known(); !ok || rep.Pack.Version != "0.9.1" || m.Pack.State.Version != "0.9.1" {
		t.Errorf("the warm pool relies on %q, %q, %v", rep.Pack.Version, m.Pack.State.Version, ok)
	}
}

// Nor is what a task finds out that begins.
func TestRuntimeChangesWhileATaskBegins(t *testing.T) {
	c := changesDuring(t, func(c *Controller) error {
		_, _, err := c.Ready(t.Context(), false)
		return err
	})
	if rep, _, ok := c.Pool.Known(); ok {
		t.Errorf("the warm pool relies on %q", rep.Pack.Version)
	}
	if rep, _, err := c.Ready(t.Context(), false); err != nil || rep.Pack.Version != "0.9.1" {
		t.Errorf("the next task begins with %q, %v", rep.Pack.Version, err)
	}
	if rep, _, ok := c.Pool.Known(); !ok || rep.Pack.Version != "0.9.1" {
		t.Errorf("then the warm pool relies on %q, %v", rep.Pack.Version, ok)
	}
}
