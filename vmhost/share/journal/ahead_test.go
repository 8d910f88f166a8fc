package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A program that goes through a directory waits for the disk a few times, not
// once for each file. What was kept for nothing is in no list, and a person's
// own changes stay theirs.
func TestKeptAhead(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		for _, how := range []string{"overwrite", "remove"} {
			t.Run(where+"/"+how, func(t *testing.T) {
				jdir := ""
				if where == "other" {
					jdir = otherFS(t)
				}
				w := newWorld(t, jdir)
				var names []string
				for i := range 300 {
					names = append(names, fmt.Sprint("d/", i))
				}
				w.seed(names...)
				var syncs atomic.Int64
				w.hook = func(step string) {
					if step == "synced" {
						syncs.Add(1)
					}
				}
				w.start()
				w.mark()
				do := func(from, to int) {
					for _, n := range names[from:to] {
						if how == "remove" {
							w.check(w.remove(n))
						} else {
							w.check(w.write(n, "task", -1))
						}
					}
				}
				do(0, 150)
				if n := syncs.Load(); n > 60 {
					t.Errorf("%d syncs for 150 files", n)
				}
				if got := w.changes(); len(got) != 150 {
					t.Errorf("%d changes", len(got))
				}
				// Of the others some are a person's by now, one with the old time.
				info, err := os.Stat(filepath.Join(w.dir, names[200]))
				w.check(err)
				for _, n := range []string{names[200], names[201], names[299]} {
					w.check(os.WriteFile(filepath.Join(w.dir, n), []byte("CONTENT OF "+n), 0o644))
					w.check(os.Chtimes(filepath.Join(w.dir, n), info.ModTime(), info.ModTime()))
				}
				w.mark()
				do(195, 205)
				w.undo()
				after := w.tree()
				for _, n := range []string{names[200], names[201], names[299]} {
					if !strings.Contains(after, `"CONTENT OF `+n+`"`) {
						t.Errorf("a person's %s is lost", n)
					}
				}
				w.check(w.j.Forget(t.Context(), nil))
				if u := w.j.Usage(); u.Bytes > 200_000 {
					t.Errorf("still kept: %+v", u)
				}
			})
		}
	}
}
