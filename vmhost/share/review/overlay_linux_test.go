package review

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/internal/realfs"
	"piwork/vmhost/share/journal"
)

// What is applied to files of the lower layer of an overlayfs is applied once, and undone.
func TestApplyOnOverlay(t *testing.T) {
	rows := []struct {
		name string
		do   func(s staged) []error
	}{
		{"content", func(s staged) []error { return []error{s.write("a", "x", 0), s.write("d/x", "x", 0)} }},
		{"saved by replacing", func(s staged) []error { return []error{s.create("n", "x"), s.rename("n", "a")} }},
		{"mode", func(s staged) []error { return []error{s.chmod("a", 0o600), s.chmod("d", 0o700)} }},
		{"moved and changed", func(s staged) []error {
			return []error{s.rename("a", "x"), s.write("x", "x", 0), s.rename("d/y", "y")}
		}},
		{"deleted", func(s staged) []error { return []error{s.remove("d/x"), s.remove("d/y"), s.rmdir("d"), s.remove("a")} }},
		{"swapped", func(s staged) []error {
			return []error{s.rename("a", "t"), s.rename("b", "a"), s.rename("t", "b"), s.write("a", "x", 0)}
		}},
		{"a second name", func(s staged) []error { return []error{s.link("a", "x"), s.write("x", "x", 0)} }},
		{"made anew", func(s staged) []error {
			return []error{s.remove("d/x"), s.remove("d/y"), s.rmdir("d"), s.mkdir("d"), s.create("d/x", "x")}
		}},
	}
	for _, kind := range []string{"overlay", "overlay of two", "overlay of attributes", "overlay of an overlay"} {
		realfs.On(t, kind, func(t *testing.T, d *realfs.Disk) {
			dir := func(i int) string { return filepath.Join(d.Dir, fmt.Sprint(i)) }
			for i := range rows {
				if err := errors.Join(os.Mkdir(dir(i), 0o755), seed(dir(i), "a", "b", "d/x", "d/y")); err != nil {
					t.Fatal(err)
				}
			}
			d.Lower()
			for i, r := range rows {
				t.Run(r.name, func(t *testing.T) {
					w := newWorld(t, t.TempDir())
					w.dir = dir(i)
					before := w.original(withTimes)
					w.begin()
					s := staged{w.s}
					w.check(errors.Join(r.do(s)...))
					view := w.merged(withTimes)
					d.Forget()
					if got := w.apply(nil, ApplyOptions{}); len(got.Conflicts) > 0 {
						t.Fatalf("%+v", got.Conflicts)
					}
					if now := w.original(withTimes); now != view {
						t.Errorf("applied\n%s\nwant\n%s", now, view)
					}
					undone, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{})
					w.check(err)
					if now := w.original(withTimes); now != before || len(undone.Conflicts) > 0 {
						t.Errorf("undone %+v\n%s\nwant\n%s", undone.Conflicts, now, before)
					}
					w.end()
				})
			}
		})
	}
}
