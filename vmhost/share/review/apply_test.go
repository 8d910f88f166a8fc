//go:build unix

package review

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/journal"
)

// What a task did, and the list that a person sees.
func TestChanges(t *testing.T) {
	rows := []struct {
		name string
		do   func(s staged) []error
		want []string
	}{
		{"nothing", func(s staged) []error { _, err := s.read("a"); return []error{err} }, nil},
		{"content", func(s staged) []error { return []error{s.write("a", "x", 0)} }, []string{"change file a"}},
		{"saved by replacing", func(s staged) []error { return []error{s.create("n", "x"), s.rename("n", "a")} }, []string{"change file a"}},
		{"there and back", func(s staged) []error { return []error{s.rename("a", "x"), s.rename("x", "a")} }, nil},
		{"made and removed", func(s staged) []error { return []error{s.create("x", ""), s.remove("x"), s.mkdir("y"), s.rmdir("y")} }, nil},
		{"the same again", func(s staged) []error {
			return []error{s.write("a", "X", 0), s.write("a", "c", 0), s.chtimes("a", time.Date(2021, 2, 3, 4, 5, 6, 789, time.UTC))}
		}, nil},
		{"mode and back", func(s staged) []error { return []error{s.chmod("a", 0o600), s.chmod("a", 0o644)} }, nil},
		{"mode", func(s staged) []error { return []error{s.chmod("a", 0o600)} }, []string{"change file a"}},
		{"time", func(s staged) []error { return []error{s.chtimes("a", time.Unix(5, 5))} }, []string{"change file a"}},
		{"moved and changed", func(s staged) []error { return []error{s.rename("a", "x"), s.write("x", "x", 0)} }, []string{"move file a to x"}},
		{"a directory moved, in it changed", func(s staged) []error {
			return []error{s.rename("d", "e"), s.write("e/x", "x", 0), s.remove("e/y"), s.create("e/n", "")}
		}, []string{"delete file d/y", "move dir d to e", "create file e/n", "change file e/x"}},
		{"deleted", func(s staged) []error { return []error{s.remove("d/x"), s.remove("d/y"), s.rmdir("d")} },
			[]string{"delete dir d", "delete file d/x", "delete file d/y"}},
		{"changed and deleted", func(s staged) []error { return []error{s.write("a", "x", 0), s.remove("a")} }, []string{"delete file a"}},
		{"swapped", func(s staged) []error { return []error{s.rename("a", "t"), s.rename("b", "a"), s.rename("t", "b")} },
			[]string{"move file b to a", "move file a to b"}},
		{"moved over", func(s staged) []error { return []error{s.rename("a", "b")} }, []string{"move file a to b", "delete file b"}},
		{"something else by the name", func(s staged) []error { return []error{s.remove("a"), s.symlink("b", "a")} },
			[]string{"create symlink a", "delete file a"}},
		{"a second name", func(s staged) []error { return []error{s.link("a", "x")} }, []string{"create file x"}},
		{"through a second name", func(s staged) []error { return []error{s.write("h", "x", 0)} }, []string{"change file h"}},
		{"one of two names", func(s staged) []error { return []error{s.remove("h")} }, []string{"delete file h"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			w, s := start(t, "a", "b", "d/x", "d/y", "two", "h = two")
			before := w.original(withTimes)
			w.check(errors.Join(r.do(s)...))
			got := w.changes()
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(r.want))) {
				t.Errorf("%q\nwant %q", got, r.want)
			}
			view := w.merged(withTimes)
			list, err := w.l.Changes(t.Context())
			w.check(err)
			for _, c := range list { // one after the other
				if left, err := w.l.Changes(t.Context()); err != nil || !slices.ContainsFunc(left, func(o journal.Change) bool { return o.ID == c.ID }) {
					continue // it went along
				}
				if r := w.apply([]string{c.ID}, ApplyOptions{}); len(r.Conflicts) > 0 {
					t.Errorf("%+v", r.Conflicts)
				}
				if d := diff(view, w.merged(withTimes)); d != "" {
					t.Errorf("applying %s changed the view:\n%s", c.ID, d)
				}
			}
			if d := diff(view, w.original(withTimes)); d != "" {
				t.Errorf("applied:\n%s", d)
			}
			if r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
				t.Errorf("%+v %v", r, err)
			}
			if d := diff(before, w.original(withTimes)); d != "" {
				t.Errorf("undone:\n%s", d)
			}
		})
	}
}

// A person worked on the same things. Nothing of theirs is overwritten unless
// they say so, and then undo brings it back.
func TestConflicts(t *testing.T) {
	type answer struct {
		tree   []string // what is in the folder then
		staged int      // what is left in the list
	}
	rows := []struct {
		name                string
		task, person        func(s task) error
		reason              journal.Reason
		none                answer
		keep, replace, both answer
	}{
		{
			name: "both changed it", reason: journal.ReasonChanged,
			task:    func(s task) error { return s.write("a", "TASK", 0) },
			person:  func(s task) error { return s.write("a", "PERSON", 0) },
			none:    answer{[]string{"a=PERSONt of a"}, 1},
			keep:    answer{[]string{"a=PERSONt of a"}, 0},
			replace: answer{[]string{"a=TASKent of a"}, 0},
			both:    answer{[]string{"a=PERSONt of a", "a (task)=TASKent of a"}, 0},
		},
		{
			name: "both saved it by replacing", reason: journal.ReasonChanged,
			task:    func(s task) error { return errors.Join(s.create("t", "TASK"), s.rename("t", "a")) },
			person:  func(s task) error { return errors.Join(s.create("t", "PERSON"), s.rename("t", "a")) },
			none:    answer{[]string{"a=PERSON"}, 1},
			keep:    answer{[]string{"a=PERSON"}, 0},
			replace: answer{[]string{"a=TASK"}, 0},
			both:    answer{[]string{"a=PERSON", "a (task)=TASK"}, 0},
		},
		{
			name: "both made it", reason: journal.ReasonInTheWay,
			task:    func(s task) error { return s.create("n.txt", "TASK") },
			person:  func(s task) error { return s.create("n.txt", "PERSON") },
			none:    answer{[]string{"a=content of a", "n.txt=PERSON"}, 1},
			keep:    answer{[]string{"a=content of a", "n.txt=PERSON"}, 0},
			replace: answer{[]string{"a=content of a", "n.txt=TASK"}, 0},
			both:    answer{[]string{"a=content of a", "n.txt=PERSON", "n (task).txt=TASK"}, 0},
		},
		{
			name: "changed and deleted by the task", reason: journal.ReasonChanged,
			task:    func(s task) error { return s.remove("a") },
			person:  func(s task) error { return s.write("a", "PERSON", 0) },
			none:    answer{[]string{"a=PERSONt of a"}, 1},
			keep:    answer{[]string{"a=PERSONt of a"}, 0},
			replace: answer{nil, 0},
			both:    answer{[]string{"a=PERSONt of a"}, 0},
		},
		{
			name: "deleted by the person", reason: journal.ReasonGone,
			task:    func(s task) error { return s.write("a", "TASK", 0) },
			person:  func(s task) error { return s.remove("a") },
			none:    answer{nil, 1},
			keep:    answer{nil, 0},
			replace: answer{[]string{"a=TASKent of a"}, 0},
			both:    answer{[]string{"a (task)=TASKent of a"}, 0},
		},
		{
			name: "moved to where a person put something", reason: journal.ReasonInTheWay,
			task:    func(s task) error { return s.rename("a", "m") },
			person:  func(s task) error { return s.create("m", "PERSON") },
			none:    answer{[]string{"a=content of a", "m=PERSON"}, 1},
			keep:    answer{[]string{"a=content of a", "m=PERSON"}, 0},
			replace: answer{[]string{"a=content of a", "m=PERSON"}, 1},
			both:    answer{[]string{"m=PERSON", "m (task)=content of a"}, 0},
		},
		{
			name: "moved away by the person", reason: journal.ReasonGone,
			task:    func(s task) error { return s.rename("a", "m") },
			person:  func(s task) error { return s.rename("a", "p") },
			none:    answer{[]string{"p=content of a"}, 1},
			keep:    answer{[]string{"p=content of a"}, 0},
			replace: answer{[]string{"p=content of a"}, 1},
			both:    answer{[]string{"p=content of a"}, 1},
		},
	}
	for _, r := range rows {
		for kind, want := range map[journal.Resolution]answer{"": r.none, journal.Keep: r.keep, Replace: r.replace, journal.Both: r.both} {
			t.Run(r.name+"/"+string(kind), func(t *testing.T) {
				w, s := start(t, "a")
				w.check(r.task(s))
				w.check(r.person(plain{w.dir}))
				before := w.original(withTimes)
				list, err := w.l.Changes(t.Context())
				w.check(err)
				o := ApplyOptions{Label: "task", Resolve: map[string]journal.Resolution{}}
				for _, c := range list {
					if kind != "" {
						o.Resolve[c.ID] = kind
					}
				}
				got := w.apply(nil, o)
				if len(got.Conflicts) != want.staged || want.staged > 0 && got.Conflicts[0].Reason != r.reason {
					t.Errorf("%+v", got)
				}
				if tree := w.lines(); !slices.Equal(tree, slices.Sorted(slices.Values(want.tree))) {
					t.Errorf("%q\nwant %q", tree, want.tree)
				}
				if left := w.changes(); len(left) != want.staged {
					t.Errorf("left: %q", left)
				}
				if u, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(u.Conflicts) > 0 {
					t.Errorf("%+v %v", u, err)
				}
				if d := diff(before, w.original(withTimes)); d != "" {
					t.Errorf("undone:\n%s", d)
				}
			})
		}
	}
}

// lines are the files of the folder with their contents.
func (w *world) lines() []string {
	w.t.Helper()
	files, err := os.ReadDir(w.dir)
	w.check(err)
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(w.dir, f.Name()))
		w.check(err)
		out = append(out, f.Name()+"="+string(b))
	}
	slices.Sort(out)
	return out
}

// What only looks changed, and what a person did in the same way, is no conflict.
func TestNoConflict(t *testing.T) {
	w, s := start(t, "a", "b", "c", "d/x")
	w.check(s.write("a", "TASK", 0))
	now := time.Now()
	w.check(os.Chtimes(filepath.Join(w.dir, "a"), now, now)) // touched: the same content
	w.check(s.remove("b"))
	w.check(os.Remove(filepath.Join(w.dir, "b")))
	w.check(s.mkdir("n"))
	w.check(s.create("n/x", "x"))
	w.check(os.Mkdir(filepath.Join(w.dir, "n"), 0o755))
	w.check(s.rename("d", "e"))
	w.person("d/x", "person")
	w.check(s.chmod("c", 0o600))
	w.person("c", "person")
	view := w.merged(0)
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	if d := diff(view, w.original(0)); d != "" {
		t.Error(d)
	}
	w.expect(s, "e/x", "person")
	w.expect(s, "c", "person")
}

// Parts are applied with what they need and forgotten with what needs them.
func TestParted(t *testing.T) {
	w, s := start(t, "a", "d/x", "d/y", "old/1")
	w.check(errors.Join(s.mkdir("n"), s.mkdir("n/m"), s.create("n/m/f", "f"), s.create("n/g", "g"), s.rename("a", "n/a")))
	w.check(errors.Join(s.remove("old/1"), s.rmdir("old"), s.create("old", "a file")))
	byPath := func(p string) string {
		t.Helper()
		list, err := w.l.Changes(t.Context())
		w.check(err)
		for _, c := range list {
			if c.Path == p {
				return c.ID
			}
		}
		t.Fatalf("no change of %s in %+v", p, list)
		return ""
	}
	paths := func(list []journal.Change) string {
		var out []string
		for _, c := range list {
			out = append(out, string(c.Effect)+" "+c.Path)
		}
		slices.Sort(out)
		return strings.Join(out, ", ")
	}
	r := w.apply([]string{byPath("n/m/f")}, ApplyOptions{})
	if got := paths(r.Applied); got != "create n, create n/m, create n/m/f" || len(r.Conflicts) > 0 {
		t.Errorf("%s %+v", got, r.Conflicts)
	}
	gone, err := w.l.Discard(t.Context(), []string{byPath("old/1")}, w.journal)
	w.check(err)
	if got := paths(gone.Kept); got != "create old, delete old, delete old/1" {
		t.Error(got)
	}
	w.expect(s, "old/1", "content of old/1")
	w.check(errors.Join(s.mkdir("x"), s.rename("d", "x/d"), s.create("x/d/z", "")))
	gone, err = w.l.Discard(t.Context(), []string{byPath("x")}, w.journal)
	w.check(err)
	if got := paths(gone.Kept); got != "create x, create x/d/z, move x/d" {
		t.Error(got)
	}
	w.expect(s, "d/x", "content of d/x")
	if _, err := w.l.Apply(t.Context(), w.j, []string{"n999"}, ApplyOptions{}); !errors.Is(err, journal.ErrUnknownChange) {
		t.Error(err)
	}
}

func TestContent(t *testing.T) {
	w, s := start(t, "a", "b", "c", "m")
	w.check(errors.Join(s.write("a", "TASK", 0), s.remove("b"), s.create("n", "new"), s.create("t", "saved"), s.rename("t", "c"), s.rename("m", "moved")))
	list, err := w.l.Changes(t.Context())
	w.check(err)
	want := map[string][2]string{
		"a": {"content of a", "TASKent of a"}, "b": {"content of b", "-"}, "n": {"-", "new"}, "c": {"content of c", "saved"},
		"moved": {"content of m", "content of m"},
	}
	for _, c := range list {
		for i, side := range []journal.Side{journal.Before, journal.After} {
			got := "-"
			f, err := w.l.Content(t.Context(), c.ID, side)
			if err == nil {
				b, rerr := io.ReadAll(f)
				w.check(errors.Join(rerr, f.Close()))
				got = string(b)
			} else if !errors.Is(err, journal.ErrNoContent) {
				t.Error(err)
			}
			if got != want[c.Path][i] {
				t.Errorf("%s of %s: %q", side, c.Path, got)
			}
		}
		delete(want, c.Path)
		if c.Effect == journal.EffectChange && (len(c.Before.SHA256) != 64 || len(c.After.SHA256) != 64) {
			t.Errorf("%+v %+v", c.Before, c.After)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	w.person("a", "person")
	if _, err := w.l.Content(t.Context(), list[0].ID, journal.Before); !errors.Is(err, journal.ErrChangedSince) {
		t.Error(err)
	}
	if _, err := w.l.Content(t.Context(), "n999", journal.Before); !errors.Is(err, journal.ErrUnknownChange) {
		t.Error(err)
	}
}

// A directory in which Apply worked is something else in the end.
func TestPlaceOfTemporaryFiles(t *testing.T) {
	w, s := start(t, "d/x", "d/y")
	w.check(errors.Join(s.write("d/x", "TASK", 0), s.remove("d/y")))
	w.apply(nil, ApplyOptions{})
	w.check(errors.Join(s.write("d/x", "task", 0), s.rename("d/x", "d/z"), s.rename("d/z", "z"), s.rmdir("d"), s.create("d", "a file")))
	view := w.merged(0)
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	if d := diff(view, w.original(0)); d != "" {
		t.Error(d)
	}
}

// A file with two names loses one, another file takes that name and gets a second one: when it
// is applied, its path is not taken for that of the file which was there.
func TestApplyInTheNameOfALinkedFile(t *testing.T) {
	w := newWorld(t, quick(t))
	w.check(seed(w.dir, "a", "h = a"))
	w.begin()
	defer w.end()
	in := staged{w.s}
	w.merged(withTimes)
	w.check(in.remove("a"))
	w.check(in.create("a", "new"))
	w.check(in.link("a", "c"))
	view := w.merged(withTimes)
	r, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{})
	if w.check(err); len(r.Conflicts) > 0 {
		t.Fatalf("%+v", r.Conflicts)
	}
	if d := diff(view, w.original(withTimes)); d != "" {
		t.Errorf("applied:\n%s", d)
	}
	if left := w.changes(); len(left) > 0 {
		t.Errorf("left in the list: %q", left)
	}
}
