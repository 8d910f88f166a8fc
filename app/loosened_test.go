package app

import (
	"slices"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/task"
	"piwork/vmhost"
)

// A yes for longer than the task is a sign on every task that it is about, and who
// looks at one is told; a yes in the task is in its timeline.
func TestLoosenedByAnAnswer(t *testing.T) {
	for _, x := range []struct {
		scope       string
		here, other bool
	}{
		{vmhost.ScopeOnce, false, false},
		{vmhost.ScopeTask, false, false},
		{vmhost.ScopeFolder, true, false},
		{vmhost.ScopeAlways, true, true},
	} {
		t.Run(x.scope, func(t *testing.T) {
			d := newDeleter(t)
			wait := d.listen(d.c)
			began, other := d.delete(d.pictures("a.png"), 50, false), d.delete(d.pictures("a.png"), 50, false)
			q := d.question(began.ID)
			if q.Risk != "high" {
				t.Errorf("a question about deleting: risk %q", q.Risk)
			}
			d.question(other.ID)
			events, stop := d.c.Subscribe(task.EventFilter{})
			defer stop()
			d.say(began.ID, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: x.scope})
			loose := map[string]bool{began.ID: x.here, other.ID: x.other}
			signed := func(id string) bool {
				got, err := d.c.Task(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				return slices.Equal(got.Loosened, []string{"allowed-always"})
			}
			for left := x.here; left; left = !signed(began.ID) || signed(other.ID) != x.other {
				toldState(t, events, loose)
			}
			wait(began.ID, task.StateDone)
			for id, want := range loose {
				if signed(id) != want {
					t.Errorf("a yes with the scope %q: task %s has the sign: %v", x.scope, id, !want)
				}
			}
		})
	}
}

// toldState waits for an event about the state of one of some tasks.
func toldState(t *testing.T, events <-chan task.Event, some map[string]bool) {
	t.Helper()
	end := time.After(time.Minute)
	for {
		select {
		case e := <-events:
			if some[e.Task] && e.Kind == task.EventState {
				return
			}
		case <-end:
			t.Fatal("nobody was told that a task may do more")
		}
	}
}
