package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
			})
		}
	}
}

// After a crash what was kept ahead is compared with the disk, once: what the task left
// alone is in no list, and what a person does to it is theirs.
func TestKeptAheadAndCrashed(t *testing.T) {
	w := newWorld(t, otherFS(t))
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprint("d/", i))
	}
	w.seed(names...)
	w.start()
	for _, n := range names[:10] {
		w.check(w.write(n, "task", -1))
	}
	crashed := w.jdir + ".crashed" // without the record that says that it was closed
	w.check(os.CopyFS(crashed, os.DirFS(w.jdir)))
	t.Cleanup(func() { os.RemoveAll(crashed) })
	w.stop()
	w.jdir = crashed
	theirs := func(n string) {
		w.check(os.WriteFile(filepath.Join(w.dir, n), []byte("theirs"), 0o644))
	}
	var kept []string // ahead
	for round := range 3 {
		var mine []string
		if round == 0 {
			log, err := os.ReadFile(filepath.Join(w.jdir, "log"))
			w.check(err)
			for _, n := range names[10:] {
				if strings.Contains(string(log), "content of "+n) {
					kept = append(kept, n)
				}
			}
			if len(kept) < 6 {
				t.Fatalf("%d files were kept ahead", len(kept))
			}
		}
		theirs(kept[round]) // in place
		theirs("new")       // as programs save
		w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, kept[3+round])))
		w.start()
		for _, c := range w.changes() {
			mine = append(mine, strings.TrimPrefix(c, "change "))
		}
		if !sameSet(mine, names[:10]) {
			t.Errorf("round %d: %q", round, mine)
		}
		w.stop()
	}
	w.start()
	if r := w.undo(); len(r.Undone) != 10 || len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	for i, n := range names {
		want := "content of " + n
		if slices.Contains(kept[:6], n) {
			want = "theirs"
		}
		if got, err := os.ReadFile(filepath.Join(w.dir, n)); string(got) != want {
			t.Errorf("%d: %q, %v", i, got, err)
		}
	}
}
