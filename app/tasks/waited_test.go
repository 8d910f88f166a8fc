package tasks

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
)

// TestADetachedProgramAwaitsNobody: whoever started it may never have been attached to it.
func TestADetachedProgramAwaitsNobody(t *testing.T) {
	l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindExec, StreamsRequest: StreamsRequest{Interactive: true}})
	over, err := l.c.o.Registry.Begin(l.id, l, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	if _, err := l.c.DetachTask(t.Context(), l.id); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second) // far above what it takes
	defer stop()
	if l.prog.Awaited(ctx); ctx.Err() != nil {
		t.Error("it waits still")
	}
}

// A message to a task that is over, and that another one has go on meanwhile, is for the task that
// runs.
func TestATaskGoesOnMeanwhile(t *testing.T) {
	l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindAI})
	reg := l.c.o.Registry
	c := conversations{l.c, &l.c.o}
	got, err := c.reach(t.Context(), l.id,
		func(l *Live) (task.Task, <-chan struct{}, error) { return task.Task{Title: "heard"}, nil, nil },
		func() (task.Task, error) {
			over, err := reg.Begin(l.id, l, func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(over)
			_, err = reg.Hold(t.Context(), l.id)
			return task.Task{}, err
		})
	if err != nil || got.Title != "heard" {
		t.Errorf("%+v %v", got, err)
	}
}

// A task that piwork ends, such as one whose agent says too much, failed because of that.
func TestATaskThatPiworkEnds(t *testing.T) {
	l := bareLive(t, task.Task{Place: task.Place{Runtime: "vm"}}, StartRequest{Kind: task.KindAI})
	talkOptions(l).Cancel(problem.New(problem.CodeAgentFailed))
	if state, why := l.outcome(l.ctx.Err()); state != task.StateFailed || why.Code != problem.CodeAgentFailed {
		t.Errorf("%s %v", state, why)
	}
}

// The AI of a chore asks for no folders, whatever its machine says: it has those of its plan.
func TestFoldersOfAChoreStay(t *testing.T) {
	for chore, takes := range map[string]bool{"": true, "summarise-notes": false} {
		l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindAI, Chore: chore})
		if (l.takesFolders() == nil) != takes || (talkOptions(l).AddFolder != nil) != takes {
			t.Errorf("%q: %v", chore, l.takesFolders())
		}
	}
}

// Of a task that had a place, and is over, nobody hears why there is none: it ended, in its own way.
func TestAPlaceThatWas(t *testing.T) {
	l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindExec})
	over, err := l.c.o.Registry.Begin(l.id, l, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	if _, err := l.c.o.Store.Update(l.id, func(t *task.Task) error { t.Error = problem.New(problem.CodeExitStatus); return nil }); err != nil {
		t.Fatal(err)
	}
	close(l.room.open)
	close(l.done)
	for range 100 { // of two that are ready, select takes any
		if _, err := l.c.PlaceOf(t.Context(), l.id); problem.From(err).Code != problem.CodeNoSessions {
			t.Fatal(err)
		}
	}
}

// What is written of a task that lives, whose record cannot be read any more, says so.
func TestADamagedRecordOfATaskThatLives(t *testing.T) {
	l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindExec})
	if err := os.WriteFile(filepath.Join(l.c.o.Store.Dir(l.id), "task.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Update(func(*task.Task) {}); problem.From(err).Code != problem.CodeRecordDamaged {
		t.Error(err)
	}
}
