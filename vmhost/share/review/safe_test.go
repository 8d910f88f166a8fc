//go:build unix

package review

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/journal"
)

// damaged expects that files cannot be read, and that no answer applies them.
func (w *world) damaged(t *testing.T, s staged, names ...string) {
	t.Helper()
	for _, name := range names {
		if got, err := s.read(name); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if err := s.write(name, "x", 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: written into: %v", name, err)
		}
	}
	list, err := w.l.Changes(t.Context())
	w.check(err)
	for _, answer := range []journal.Resolution{"", Replace, journal.Both} {
		o := ApplyOptions{Resolve: map[string]journal.Resolution{}}
		for _, c := range list {
			o.Resolve[c.ID] = answer
		}
		r := w.apply(nil, o)
		lost := map[string]bool{}
		for _, c := range r.Conflicts {
			lost[c.Change.Path] = c.Reason == journal.ReasonDamaged
		}
		for _, name := range names {
			if !lost[name] {
				t.Errorf("%s is not named: %+v", name, r.Conflicts)
			}
		}
	}
}

// An object that is shorter than the log says, or empty in the place of something and
// never known to be durable, does not become a person's file. Emptying a file on purpose
// does.
func TestDamagedObject(t *testing.T) {
	w, s := start(t, "a", "b", "c", "d", "e")
	w.check(errors.Join(s.write("a", "!", 12), s.truncate("b", 0), s.write("b", "new b", 0),
		s.create("n", "new c"), s.rename("n", "c"), s.truncate("d", 0), s.truncate("e", 0)))
	w.end() // in order: what is in it is durable
	w.begin()
	s = staged{w.s}
	for name, want := range map[string]string{"a": "content of a!", "b": "new b", "c": "new c", "d": ""} {
		w.expect(s, name, want)
	}
	for _, name := range []string{"a", "b", "c", "e"} {
		n, _, err := w.l.find(name)
		w.check(err)
		w.check(os.Truncate(filepath.Join(w.own, "objects", objName(n.n.Obj)), 0))
		if name == "e" {
			n.n.Safe = nil // as if it was cut before anybody waited for it
			w.l.mu.Lock()
			w.check(w.l.commit(&record{Nodes: []nodeRec{n.n.nodeRec}}))
			w.l.mu.Unlock()
		}
	}
	w.end()
	w.begin()
	before := w.original(0)
	w.damaged(t, staged{w.s}, "a", "b", "c", "e")
	want := strings.Replace(before, `"content of d"`, `""`, 1)
	if d := diff(want, w.original(0)); d != "" {
		t.Error(d)
	}
	w.end()
}

// While a person is asked for room, nothing waits for the answer but Apply: the guest
// goes on, and so does the list of changes.
func TestAskedWithoutLocks(t *testing.T) {
	for _, answer := range []int64{1 << 30, 0} {
		w := newWorld(t, quick(t))
		w.check(os.WriteFile(filepath.Join(w.dir, "large"), make([]byte, 300_000), 0o644))
		w.check(seed(w.dir, "a", "d/x"))
		w.begin()
		w.check(w.j.Close())
		s := staged{w.s}
		w.check(errors.Join(s.rename("d", "e"), s.write("a", "x", 0), s.write("large", "x", 0), s.link("a", "l")))
		asked := 0
		var err error
		w.j, err = journal.Open(w.jdir, journal.Options{MaxBytes: 1, OnFull: func(context.Context, int64, int64) (int64, error) {
			asked++
			done := make(chan error, 1)
			go func() {
				_, err := w.l.Changes(t.Context())
				done <- errors.Join(err, s.create("while asked", "x"), s.rename("while asked", "then"), s.remove("then"))
			}()
			select {
			case err := <-done:
				w.check(err)
			case <-time.After(30 * time.Second):
				t.Error("it waits for the answer")
			}
			return answer, nil
		}})
		w.check(err)
		r, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{})
		if answer > 0 && (err != nil || len(r.Conflicts) > 0 || len(w.changes()) > 0) {
			t.Errorf("%+v %v, left: %q", r, err, w.changes())
		}
		if answer == 0 && !errors.Is(err, journal.ErrFull) {
			t.Errorf("after a no: %v", err)
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		w.end()
	}
}

// A file that Apply was writing into when it ended is written again, unless the person
// did something with it since.
func TestInterruptedRewrite(t *testing.T) {
	for _, person := range []bool{false, true} {
		w := newWorld(t, quick(t))
		w.check(seed(w.dir, "a", "b = a"))
		w.begin()
		s := staged{w.s}
		w.check(s.write("a", "task", 0))
		w.l.hook = func(step string) {
			if step == "rewritten" {
				w.l.mu.Lock()
				w.l.closed = true // nothing can be written down any more
				w.l.mu.Unlock()
			}
		}
		if _, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{}); !errors.Is(err, ErrClosed) {
			t.Fatal(err)
		}
		w.l.closed, w.l.hook = false, nil
		want := "taskent of a"
		if person {
			want = "the person's"
			w.check(os.WriteFile(filepath.Join(w.dir, "a"), []byte(want), 0o644))
		}
		w.end()
		w.begin()
		r := w.apply(nil, ApplyOptions{})
		if got, err := os.ReadFile(filepath.Join(w.dir, "a")); string(got) != want {
			t.Errorf("%q %v", got, err)
		}
		if person != (len(r.Conflicts) == 1) || person && r.Conflicts[0].Reason != journal.ReasonChanged {
			t.Errorf("%+v", r)
		}
		w.end()
	}
}
