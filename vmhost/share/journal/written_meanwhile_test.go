package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person writes into a file while the journal copies it, because the task deletes or replaces it
// and the journal lies on another file system: the task is told to look again, and undo brings what
// the person wrote.
func TestDeletingKeepsWhatIsWrittenMeanwhile(t *testing.T) {
	const size = 3_000_000
	for name, c := range map[string]struct {
		size  int
		first func(w *world) error // what the task did before
		do    func(w *world) error
		step  string
	}{
		"deleted, kept in parts":  {size, nil, func(w *world) error { return w.remove("a") }, "parts-written"},
		"deleted, copied":         {200_000, nil, func(w *world) error { return w.remove("a") }, "image"},
		"deleted, in the log":     {2000, nil, func(w *world) error { return w.remove("a") }, "image"},
		"replaced, kept in parts": {size, nil, func(w *world) error { return w.rename("b", "a") }, "parts-written"},
		"replaced, copied":        {200_000, nil, func(w *world) error { return w.rename("b", "a") }, "image"},
		"changed and deleted":     {size, func(w *world) error { return w.write("a", "task", 0) }, func(w *world) error { return w.remove("a") }, "parts-written"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, otherFS(t))
			w.seed("b")
			w.check(w.large("a", c.size))
			w.age()
			path := filepath.Join(w.dir, "a")
			arm := w.while(c.step, func() {
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
				w.check(err)
				_, err = f.WriteString("mine")
				w.check(errors.Join(err, f.Close()))
			})
			want := strings.Repeat("0123456789", c.size/10) + "mine"
			if c.first != nil {
				w.check(c.first(w))
				want = "task" + want[4:]
			}
			arm()
			if err := c.do(w); !errors.Is(err, ErrRaced) {
				t.Errorf("%v", err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != want {
				t.Errorf("it is not there any more as the person left it: %d bytes, %v", len(b), err)
			}
			w.check(c.do(w)) // as the guest's system does when it hears of that
			r := w.undo()
			if b, err := os.ReadFile(path); err != nil || string(b) != want || len(r.Conflicts) > 0 {
				t.Errorf("undo: %d bytes, %v, %+v", len(b), err, r.Conflicts)
			}
			w.has("b", "content of b")
		})
	}
}

// What a task itself writes into a file that it deletes at the same time is no reason to look again.
func TestDeletingWhatTheTaskWrites(t *testing.T) {
	for _, open := range []bool{false, true} {
		w := newWorld(t, otherFS(t))
		w.check(w.large("a", 3_000_000))
		w.age()
		w.mark()
		var write func()
		arm := w.while("parts-written", func() { write() })
		f, _, err := w.f.Open("a", true)
		w.check(err)
		_, err = f.WriteAt([]byte("task"), 0)
		w.check(err)
		write = func() {
			_, err := f.WriteAt([]byte("more"), 100)
			if w.check(err); !open {
				w.check(f.Close())
			}
		}
		arm()
		w.check(w.remove("a"))
		w.check(f.Close())
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r.Conflicts)
		}
		if d := diff(w.before, w.tree()); d != "" {
			t.Error(d)
		}
	}
}

// A file that a person goes on writing while it is copied is not kept torn: the task's change is
// refused until they pause, and undo brings back what they wrote last.
func TestFileWrittenAllTheTimeIsNotKeptTorn(t *testing.T) {
	w := newWorld(t, otherFS(t))
	w.seed("f")
	theirs := strings.Repeat("theirs", 20_000)
	w.by("f", theirs)
	busy := 5
	w.hook = func(step string) {
		if step == "image-copied" && busy > 0 {
			busy--
			theirs = "!" + theirs
			w.by("f", theirs)
		}
	}
	w.start()
	if err := w.write("f", "task", -1); !errors.Is(err, ErrRaced) {
		t.Errorf("%v", err)
	}
	w.has("f", theirs)
	w.check(w.write("f", "task", -1))
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	w.has("f", theirs)
}

// A file to which a program appends all the time can be changed when it pauses for as long as a copy
// takes, without its sync; what was written once meanwhile comes back.
func TestFileAppendedToWhileItIsSynced(t *testing.T) {
	for _, busy := range []int{1, 5} {
		w := newWorld(t, otherFS(t))
		theirs := strings.Repeat("theirs", 20_000)
		w.by("f", theirs)
		n := 0
		w.hook = func(step string) {
			if step == "image-written" && n < busy {
				n++
				w.by("f", theirs+strings.Repeat("!", n))
			}
		}
		w.start()
		w.check(w.write("f", "task", -1))
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
		w.has("f", theirs+strings.Repeat("!", min(busy, 2))) // as it was at the last of three tries
	}
}

// What a guest makes of the names that undo uses for what it is about to put into place does not
// keep that from being put there.
func TestDirectoryOfUndosOwnName(t *testing.T) {
	w := newWorld(t, "")
	w.seed("f")
	w.start()
	w.check(w.write("f", "task", -1))
	w.check(w.mkdir(".piwork-undo-" + w.j.rec.Tables.ID + "-" + strings.TrimPrefix(w.id("f"), "o") + ".new"))
	if r := w.undo(w.id("f")); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	w.has("f", "content of f")
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	w.noLeftovers()
}
