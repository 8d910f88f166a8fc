//go:build unix

package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/vmhost/share/journal"
)

// stopped is a swap of x and y by the task whose Apply was interrupted at the step of that
// number; ok is false when it came to its end before.
func stopped(t *testing.T, step int) (w *world, s staged, ok bool) {
	t.Helper()
	w = newWorld(t, quick(t))
	w.check(seed(w.dir, "x", "y", "other"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n, applies := 0, false
	w.hook = func(string) {
		if n++; applies && n == step {
			cancel()
		}
	}
	w.begin()
	s = staged{w.s}
	w.check(errors.Join(s.rename("x", "t"), s.rename("y", "x"), s.rename("t", "y"), s.write("other", "TASK", 0)))
	n, applies = 0, true
	if _, err := w.l.Apply(ctx, w.j, nil, ApplyOptions{}); err != nil && !errors.Is(err, context.Canceled) {
		w.check(err)
	}
	applies = false
	return w, s, ctx.Err() != nil
}

// hidden returns what the folder has under temporary names.
func (w *world) hidden() []string {
	w.t.Helper()
	files, err := os.ReadDir(w.dir)
	w.check(err)
	var out []string
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") {
			out = append(out, f.Name())
		}
	}
	return out
}

// lifts reports whether an original waits under a temporary name.
func (w *world) lifts() bool { return len(w.l.lifted()) > 0 }

// Apply moves y out of the way of x and is interrupted. What is forgotten then is under a name
// of the person's again, and no later Apply removes it: also when the program died meanwhile.
func TestDiscardAfterInterruptedApply(t *testing.T) {
	lifts := 0
	for _, crash := range []bool{false, true} {
		for step := 1; ; step++ {
			w, _, ok := stopped(t, step)
			if !ok {
				w.end()
				break
			}
			if w.lifts() {
				lifts++
			}
			if crash {
				w.end()
				w.begin()
			}
			before := w.lines()
			_, err := w.l.Discard(t.Context(), nil, w.journal)
			w.check(err)
			after := w.lines()
			contents := strings.Join(after, "\n")
			if !strings.Contains(contents, "=content of x") || !strings.Contains(contents, "=content of y") || len(w.hidden()) > 0 {
				t.Errorf("step %d, reopened %v: %q, before %q", step, crash, after, before)
			}
			if !slices.ContainsFunc(before, func(l string) bool { return l == "y=content of x" }) && !slices.Contains(after, "y=content of y") {
				t.Errorf("step %d, reopened %v: y is not back: %q", step, crash, after)
			}
			if left := w.changes(); len(left) > 0 {
				t.Errorf("step %d: left: %q", step, left)
			}
			w.apply(nil, ApplyOptions{})
			if now := w.lines(); !slices.Equal(now, after) {
				t.Errorf("step %d: the next Apply made of %q: %q", step, after, now)
			}
			if d := diff(w.merged(0), w.original(0)); d != "" {
				t.Errorf("step %d:\n%s", step, d)
			}
			w.check(undone(t, w))
			if now := strings.Join(w.lines(), "\n"); !strings.HasSuffix(now, "x=content of x\ny=content of y") {
				t.Errorf("step %d, undone: %q", step, now)
			}
			w.end()
		}
	}
	if lifts == 0 {
		t.Error("nothing was ever lifted")
	}
}

func undone(t *testing.T, w *world) error {
	r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{})
	if len(r.Conflicts) > 0 {
		err = errors.Join(err, fmt.Errorf("%+v", r.Conflicts))
	}
	return err
}

// lifted is a stopped swap of which y waits under a temporary name; with moved, x has
// its name already.
func lifted(t *testing.T, moved bool) (*world, staged) {
	t.Helper()
	for step := 1; ; step++ {
		w, s, ok := stopped(t, step)
		if !ok {
			t.Fatal("no such step")
		}
		if w.lifts() && slices.Contains(w.lines(), "y=content of x") == moved {
			t.Cleanup(w.end)
			return w, s
		}
		w.end()
	}
}

// A part of what waits is forgotten: what has nothing to do with the swap stays applicable,
// the swap goes as a whole.
func TestDiscardHalfASwap(t *testing.T) {
	w, _ := lifted(t, false)
	list, err := w.l.Changes(t.Context())
	w.check(err)
	i := slices.IndexFunc(list, func(c journal.Change) bool { return c.Effect == journal.EffectMove && c.From == "y" })
	_, err = w.l.Discard(t.Context(), []string{list[i].ID}, w.journal)
	w.check(err)
	for _, left := range w.changes() {
		if strings.HasPrefix(left, "move") {
			t.Errorf("left: %q", left)
		}
	}
	w.apply(nil, ApplyOptions{})
	if got := w.lines(); !slices.Equal(got, []string{"other=TASKent of other", "x=content of x", "y=content of y"}) {
		t.Errorf("%q", got)
	}
}

// Where x has the name of y already, the original of y is put beside it, and that is told.
func TestDiscardLiftedWhoseNameIsTaken(t *testing.T) {
	w, _ := lifted(t, true)
	r, err := w.l.Discard(t.Context(), nil, w.journal)
	w.check(err)
	if got := w.lines(); !slices.Contains(got, "y (before)=content of y") {
		t.Errorf("%q", got)
	}
	for _, c := range r.Kept {
		if c.Effect == journal.EffectMove && r.Beside[c.ID] != "y (before)" {
			t.Errorf("%+v", r)
		}
	}
}

// A person put something where y belongs, and keeps it: the lifted original is under a name of
// theirs, not gone.
func TestKeepAfterInterruptedApply(t *testing.T) {
	for _, moved := range []bool{false, true} {
		for _, crash := range []bool{false, true} {
			w, _ := lifted(t, moved)
			if crash {
				w.end()
				w.begin()
			}
			if moved {
				w.person("x", "PERSON")
			}
			list, err := w.l.Changes(t.Context())
			w.check(err)
			if !moved {
				w.person("y", "PERSON")
			}
			o := ApplyOptions{Resolve: map[string]journal.Resolution{}}
			for _, c := range list {
				o.Resolve[c.ID] = journal.Keep
			}
			for range 2 {
				w.apply(nil, o)
				got := strings.Join(w.lines(), "\n")
				if !strings.Contains(got, "=content of x") || !strings.Contains(got, "=content of y") || !strings.Contains(got, "=PERSON") || len(w.hidden()) > 0 {
					t.Errorf("x in the place of y %v, reopened %v: %q", moved, crash, got)
				}
			}
		}
	}
}

// The task removes what Apply had lifted: that is a deletion which is applied, with undo.
func TestRemovedAfterInterruptedApply(t *testing.T) {
	for _, moved := range []bool{false, true} {
		w, s := lifted(t, moved)
		w.check(s.remove("x"))
		w.apply(nil, ApplyOptions{})
		if got := w.lines(); !slices.Equal(got, []string{"other=TASKent of other", "y=content of x"}) {
			t.Errorf("x in the place of y %v: %q", moved, got)
		}
		w.check(undone(t, w))
		if got := w.lines(); !slices.Equal(got, []string{"other=content of other", "x=content of x", "y=content of y"}) {
			t.Errorf("x in the place of y %v, undone: %q", moved, got)
		}
	}
}

// The program dies while a lifted original is moved back: it is there, or goes on.
func TestDiscardDiesPuttingBack(t *testing.T) {
	w, _ := lifted(t, false)
	n := w.l.lifted()[0]
	temp := string(n.Base)
	w.l.mu.Lock()
	w.check(w.l.commit(&record{Going: &movedRec{From: n.Base, To: "y"}}))
	w.l.mu.Unlock()
	w.check(os.Rename(filepath.Join(w.dir, temp), filepath.Join(w.dir, "y")))
	w.end()
	w.begin()
	if w.lifts() || len(w.l.t.temps) > 0 && w.l.t.temps[temp] != 0 {
		t.Errorf("it is still taken for lifted: %v", w.l.t.temps)
	}
	_, err := w.l.Discard(t.Context(), nil, w.journal)
	w.check(err)
	w.apply(nil, ApplyOptions{})
	if got := w.lines(); !slices.Equal(got, []string{"other=TASKent of other", "x=content of x", "y=content of y"}) {
		t.Errorf("%q", got)
	}
}

// After a restart no temporary file gets the name under which an original waits.
func TestTemporaryNamesAreNewAfterARestart(t *testing.T) {
	w, _ := lifted(t, false)
	temp := string(w.l.lifted()[0].Base)
	w.end()
	w.begin()
	for range 10 {
		if next := w.l.t.tempPrefix() + fmt.Sprint(w.l.t.next()); next == temp {
			t.Errorf("%s is used again", temp)
		}
	}
	s := staged{w.s}
	w.check(errors.Join(s.write("y", "TASK", 0), s.write("other", "task", 0)))
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	if got := w.lines(); !slices.Equal(got, []string{"other=taskent of other", "x=content of y", "y=TASKent of x"}) {
		t.Errorf("%q", got)
	}
	w.check(undone(t, w))
	if got := w.lines(); !slices.Equal(got, []string{"other=content of other", "x=content of x", "y=content of y"}) {
		t.Errorf("undone: %q", got)
	}
}
