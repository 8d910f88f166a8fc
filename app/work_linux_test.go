package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/drive/drivetest"
	"piwork/vmhost/share/journal"
)

// held is a journal whose undo, redo and apply wait in their middle until they are let go, or until
// their context ends. A deaf journal ignores its context.
type held struct {
	history.Journal
	began chan struct{}
	goOn  chan struct{}
	deaf  bool
}

func (h *held) wait(ctx context.Context) error {
	h.began <- struct{}{}
	if h.deaf {
		ctx = context.Background()
	}
	select {
	case <-h.goOn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *held) Undo(ctx context.Context, r history.UndoRequest) (journal.Report, error) {
	if err := h.wait(ctx); err != nil {
		return journal.Report{}, err
	}
	return h.Journal.Undo(ctx, r)
}

func (h *held) Redo(ctx context.Context, r history.RedoRequest) (history.RedoReport, error) {
	if err := h.wait(ctx); err != nil {
		return history.RedoReport{}, err
	}
	return h.Journal.Redo(ctx, r)
}

func (h *held) Apply(ctx context.Context, r history.ApplyRequest) (history.ApplyReport, error) {
	if err := h.wait(ctx); err != nil {
		return history.ApplyReport{}, err
	}
	return h.Journal.Apply(ctx, r)
}

// hold has a controller open its journals as held ones.
func hold(c *Controller, deaf bool) *held {
	h := &held{began: make(chan struct{}, 1), goOn: make(chan struct{}), deaf: deaf}
	opener := c.s.journal
	c.s.journal = func(dir string, folders []task.Folder, room history.Room) (history.Journal, error) {
		j, err := opener(dir, folders, room)
		return &held{j, h.began, h.goOn, h.deaf}, err
	}
	return h
}

// deciding is a controller with a task whose changes are to be decided about in this way, and what
// decides about them.
func deciding(t *testing.T, how string) (c *Controller, dir, id string, decide func(context.Context) (int, error)) {
	t.Helper()
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	mode := task.ModeReadWrite
	if how == history.ByApply {
		mode = task.ModeReview
	}
	w, c, dir, id := changing(t, mode, twoFiles)
	w.set(func() { w.diskMB = 100 << 10 })
	switch how {
	case history.ByUndo:
		return c, dir, id, func(ctx context.Context) (int, error) {
			r, err := c.Undo(ctx, id, history.UndoRequest{})
			return len(r.Undone), err
		}
	case history.ByRedo:
		if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil {
			t.Fatal(err)
		}
		return c, dir, id, func(ctx context.Context) (int, error) {
			r, err := c.Redo(ctx, id, history.RedoRequest{})
			return len(r.Redone), err
		}
	}
	return c, dir, id, func(ctx context.Context) (int, error) {
		r, err := c.Apply(ctx, id, history.ApplyRequest{})
		return len(r.Applied), err
	}
}

// Whoever cancels a task that is over stops what is decided about its changes, and one that does not
// stop is told of.
func TestCancelDecision(t *testing.T) {
	drivetest.Hasten(t)
	for _, how := range []string{history.ByUndo, history.ByRedo, history.ByApply} {
		for deaf, code := range map[bool]string{false: problem.CodeCancelled, true: problem.CodeUndoWaits} {
			t.Run(fmt.Sprintf("%s, deaf: %v", how, deaf), func(t *testing.T) {
				c, _, id, decide := deciding(t, how)
				h := hold(c, deaf)
				defer close(h.goOn)
				over := make(chan error, 1)
				go func() { _, err := decide(t.Context()); over <- err }()
				<-h.began
				if _, err := c.CancelTask(t.Context(), id); err != nil {
					t.Error(err)
				}
				if err := <-over; codeOf(err) != code {
					t.Errorf("it ended with %v", err)
				}
				if w := c.Work(); w.Any() {
					t.Errorf("still at work: %+v", w)
				}
				if !deaf {
					return
				}
				if _, err := decide(t.Context()); codeOf(err) != problem.CodeUndoWaits {
					t.Errorf("the next is not told that one hangs: %v", err)
				}
			})
		}
	}
}

// Whatever hangs, closing the controller ends in time and says what did not.
func TestCloseThoughRoomsHang(t *testing.T) {
	for what, begin := range map[string]func(t *testing.T) *Controller{
		"a journal": func(t *testing.T) *Controller {
			c, _, _, decide := deciding(t, history.ByUndo)
			h := hold(c, true)
			t.Cleanup(func() { close(h.goOn) })
			go func() { _, _ = decide(context.WithoutCancel(t.Context())) }()
			<-h.began
			return c
		},
		"a task, whose machine and share hang": func(t *testing.T) *Controller {
			w := newWorld(t)
			began, goOn := make(chan struct{}), make(chan struct{})
			t.Cleanup(func() { close(goOn) })
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.OnConnect = func(context.Context) error { close(began); <-goOn; return errors.New("late") }
				return nil
			}
			c := w.open()
			w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Detached: true})
			<-began
			return c
		},
	} {
		t.Run(what, func(t *testing.T) {
			c := begin(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			over := make(chan error, 1)
			go func() { over <- c.Close(ctx) }()
			select {
			case err := <-over:
				if err == nil {
					t.Error("nobody says that something is still at work")
				}
			case <-time.After(time.Second + CloseLate + 20*time.Second):
				t.Fatal("closing does not end")
			}
		})
	}
	t.Run("a subscriber", func(t *testing.T) {
		c := newWorld(t).open()
		_, stop := c.Subscribe(task.EventFilter{After: task.OnlyNew})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

// A newer program, the end of idle time and `serve --stop` wait for whatever changes folders or
// takes a person's bytes: nothing of it is cut off in its middle.
func TestRetireWaits(t *testing.T) {
	for _, how := range []string{history.ByUndo, history.ByRedo, history.ByApply} {
		t.Run(how, func(t *testing.T) {
			c, _, id, decide := deciding(t, how)
			h := hold(c, false)
			over := make(chan error, 1)
			go func() {
				n, err := decide(t.Context())
				if err == nil && n != 2 {
					err = errors.New("not all is done")
				}
				over <- err
			}()
			<-h.began
			if w := c.Retire(); len(w.Uses) != 1 || w.Uses[0].What != how || w.Uses[0].Task != id {
				t.Errorf("it would end meanwhile: %+v", w)
			}
			close(h.goOn)
			if err := <-over; err != nil {
				t.Error(err)
			}
			if w := c.Retire(); w.Any() {
				t.Errorf("still at work: %+v", w)
			}
			if _, err := decide(t.Context()); codeOf(err) != problem.CodeShuttingDown {
				t.Errorf("it began after it was to end: %v", err)
			}
		})
	}
	t.Run("upload", func(t *testing.T) {
		c := newWorld(t).open()
		u, err := c.NewUpload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if w := c.Retire(); len(w.Uses) != 1 {
			t.Errorf("it would end meanwhile: %+v", w)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
		if w := c.Retire(); w.Any() {
			t.Errorf("still at work: %+v", w)
		}
		if _, err := c.NewUpload(t.Context()); codeOf(err) != problem.CodeShuttingDown {
			t.Errorf("it began after it was to end: %v", err)
		}
	})
}
