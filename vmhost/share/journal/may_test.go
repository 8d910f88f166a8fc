package journal

import (
	"errors"
	"slices"
	"testing"
)

// Undo and redo ask about everything that they would do, what comes along with it too, before
// any of it; a no leaves the folder and the list as they are.
func TestMay(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b", "keep/x")
	w.start()
	w.check(w.mkdir("new"))
	w.check(w.create("new/in", "x"))
	w.check(w.remove("a"))
	w.check(w.write("b", "other", -1))
	no := errors.New("a rule refuses it")
	var asked []string
	refuse := func(list []Change) error {
		asked = nil
		for _, c := range list {
			asked = append(asked, string(c.Effect)+" "+c.Path)
		}
		slices.Sort(asked)
		return no
	}
	before, listed := w.tree(), w.changes()
	for name, c := range map[string]struct {
		ids  []string
		o    UndoOptions
		want []string
	}{
		"everything":                {nil, UndoOptions{}, []string{"change b", "create new", "create new/in", "delete a"}},
		"what goes with a folder":   {[]string{w.id("new")}, UndoOptions{}, []string{"create new", "create new/in"}},
		"but what is to stay as is": {nil, UndoOptions{Resolve: map[string]Resolution{w.id("b"): Keep}}, []string{"create new", "create new/in", "delete a"}},
	} {
		c.o.May = refuse
		rep, err := w.j.Undo(t.Context(), c.ids, c.o)
		if !errors.Is(err, no) || len(rep.Undone) > 0 || !slices.Equal(asked, c.want) {
			t.Errorf("%s: %v, asked about %q", name, err, asked)
		}
		if w.tree() != before || !slices.Equal(w.changes(), listed) {
			t.Errorf("%s: something was done", name)
		}
	}
	allowed := 0
	if _, err := w.j.Undo(t.Context(), nil, UndoOptions{May: func(list []Change) error { allowed += len(list); return nil }}); err != nil || allowed != 4 {
		t.Errorf("%v, asked about %d", err, allowed)
	}
	before = w.tree()
	if rep, err := w.j.RedoIf(t.Context(), nil, refuse); !errors.Is(err, no) || len(rep.Redone) > 0 || len(asked) != 4 || w.tree() != before {
		t.Errorf("redo: %v, asked about %q", err, asked)
	}
	if rep, err := w.j.RedoIf(t.Context(), nil, func([]Change) error { return nil }); err != nil || len(rep.Redone) != 4 {
		t.Errorf("redo: %v, %+v", err, rep)
	}
}
