package app

import (
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
