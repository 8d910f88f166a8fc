package journal

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"piwork/vmhost/share/drive"
)

// Closing a journal ends an undo between two files; the next start goes on with it.
func TestCloseEndsUndo(t *testing.T) {
	for _, redo := range []bool{false, true} {
		t.Run(fmt.Sprint("redo ", redo), func(t *testing.T) {
			w := newWorld(t, "")
			for i := range 50 {
				w.seed(fmt.Sprint(i))
			}
			w.start()
			w.mark()
			for i := range 50 {
				w.check(w.remove(fmt.Sprint(i)))
			}
			left, want := w.tree(), w.before
			work := func() error { _, err := w.j.Undo(context.Background(), nil, UndoOptions{}); return err }
			step := "undo-placed"
			if redo {
				w.undo()
				want, step = left, "step"
				work = func() error { _, err := w.j.Redo(context.Background(), nil); return err }
			}
			closed, n := make(chan error, 1), 0
			w.j.rec.Hook = func(s string) {
				if s != step {
					return
				}
				if n++; n == 5 {
					go func() { closed <- w.j.Close() }()
					time.Sleep(50 * time.Millisecond)
				}
			}
			done := make(chan error, 1)
			go func() { done <- work() }()
			select {
			case err := <-done:
				if err == nil {
					t.Error("what was ended is done")
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it goes on")
			}
			w.check(<-closed)
			if n > 25 {
				t.Errorf("%d steps of 50 were done", n)
			}
			if err := work(); !errors.Is(err, ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
			w.f.Close()
			w.root.Close()
			w.j = nil
			w.start()
			w.check(work())
			if d := diff(sansDirTimes(want), sansDirTimes(w.tree())); d != "" {
				t.Error(d)
			}
		})
	}
}

// An undo that waits for a disk for ever does not keep the journal from closing, with an error, and
// neither does a change of a task that does.
func TestCloseHasDeadline(t *testing.T) {
	drive.Hasten(100)
	defer drive.Hasten(1)
	for _, who := range []string{"an undo", "a task"} {
		t.Run(who, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("a", "b")
			w.start()
			w.check(w.remove("a"))
			stuck, free := make(chan bool, 1), make(chan bool)
			w.j.rec.Hook = func(s string) {
				if who == "an undo" && s == "undo-placed" || who == "a task" && s == "before" {
					select {
					case stuck <- true:
						<-free
					default:
					}
				}
			}
			undo := func(ctx context.Context) error { _, err := w.j.Undo(ctx, nil, UndoOptions{}); return err }
			done := make(chan error, 2)
			want := ErrBusy
			if who == "an undo" {
				go func() { done <- undo(t.Context()) }()
				<-stuck
			} else {
				go func() { done <- w.remove("b") }()
				<-stuck
				ctx, end := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer end()
				if err := undo(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("undo waits for a change that does not end: %v", err)
				}
				go func() { done <- undo(t.Context()) }()
				time.Sleep(50 * time.Millisecond)
				want = nil
			}
			begun := time.Now()
			if err := w.j.Close(); !errors.Is(err, want) {
				t.Errorf("closed: %v", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			close(free)
			<-done
			if want == nil {
				<-done
			}
			w.check(w.j.Close())
		})
	}
}

// A call of a task that a disk holds up goes on after the end of its sharing: until it is over nobody
// else has the journal, and what it did is written down.
func TestCloseWaitsForSealedCalls(t *testing.T) {
	drive.Hasten(100)
	defer drive.Hasten(1)
	w := newWorld(t, "")
	w.seed("a", "b")
	stuck, free := make(chan bool), make(chan bool)
	arm := w.while("after", func() { close(stuck); <-free })
	w.mark()
	w.check(w.write("a", "task", -1))
	done := make(chan error, 1)
	arm()
	go func() { done <- w.remove("b"); w.f.Close() }()
	<-stuck
	w.f.Seal()
	if err := w.j.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("closed: %v", err)
	}
	if _, err := Open(w.jdir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("another has it: %v", err)
	}
	close(free)
	w.check(<-done)
	w.check(w.j.Close())
	w.hook = nil
	w.start()
	if r := w.undo(); len(r.Undone) != 2 || len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Error(d)
	}
}
