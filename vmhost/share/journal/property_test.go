package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/internal/at"
)

// A task may do anything in any order, be interrupted and go on, and have parts
// of it undone in between: undoing all of it gives the tree from before, to the
// last time, mode and link, and leaves nothing in the list.
func TestUndoAnything(t *testing.T) {
	tier.Checks(t, "3000")
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			var base string
			if where == "other" {
				base = otherFS(t)
			} else {
				base = t.TempDir()
			}
			folders := t.TempDir()
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				n++
				w := &world{t: t, dir: filepath.Join(folders, fmt.Sprint(n)), jdir: filepath.Join(base, fmt.Sprint("j", n)),
					oldtime: time.Date(2020, 5, 6, 7, 8, 9, 123456789, time.UTC)}
				w.check(os.Mkdir(w.dir, 0o755))
				w.parts = rapid.SampledFrom([]int64{0, 8}).Draw(rt, "parts")
				w.seed("a", "b", "d/a", "d/b", "d/e/c", "e/", "l -> d/a")
				if rapid.Bool().Draw(rt, "links") {
					w.seed("h = a", "d/k = d/e/c")
				}
				w.begin()
				w.mark()
				var log []string
				note := func(s string, err error) {
					if err != nil {
						s += " # " + err.Error()
					}
					log = append(log, s)
				}
				for range rapid.IntRange(1, 25).Draw(rt, "steps") {
					note(w.randomStep(rt))
				}
				left := w.tree()
				if rapid.Bool().Draw(rt, "redo") {
					w.thereAndBack(rt, &log)
				}
				r := w.undo()
				if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
					rt.Fatalf("steps:\n%s\nconflicts: %+v\nafter undo:\n%s\nthe task left:\n%s", strings.Join(log, "\n"), r.Conflicts, d, left)
				}
				for _, s := range w.changes() {
					if !strings.HasSuffix(s, " undone") {
						rt.Fatalf("steps:\n%s\nstill listed: %s", strings.Join(log, "\n"), s)
					}
				}
				w.stop()
				os.RemoveAll(w.dir)
				os.RemoveAll(w.jdir)
			})
		})
	}
}

// thereAndBack undoes everything and redoes what it undid.
func (w *world) thereAndBack(rt *rapid.T, log *[]string) {
	w.t.Helper()
	left := sansDirTimes(w.tree())
	undone := w.undo()
	var ids []string
	for _, c := range undone.Undone {
		if c.Undone != nil {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if rapid.Bool().Draw(rt, "restart before redo") {
		w.stop()
		w.begin()
	}
	r, err := w.j.Redo(w.t.Context(), ids)
	w.check(err)
	*log = append(*log, fmt.Sprintf("redo: %d of %d, %+v", len(r.Redone), len(ids), r.Conflicts))
	// An open fault: redo of a further name takes along what an earlier undo took back of the file.
	along := len(r.Redone) > len(ids)
	if d := diff(left, sansDirTimes(w.tree())); d != "" && !along || len(r.Conflicts) > 0 {
		rt.Fatalf("steps:\n%s\nredo: %+v\n%s\nleft:\n%s", strings.Join(*log, "\n"), r.Conflicts, d, left)
	}
}

func (w *world) begin() {
	w.t.Helper()
	var err error
	w.j, err = open(w.jdir, w.opts, w.hook)
	w.check(err)
	w.small()
	w.root, err = at.OpenRoot(w.dir)
	w.check(err)
	w.f, err = w.j.Folder("f1", w.root)
	w.check(err)
}

// randomStep does one thing, which may fail as it would for a guest.
func (w *world) randomStep(rt *rapid.T) (string, error) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "h", "l"})
	dir := rapid.SampledFrom([]string{"", "", "d/", "e/", "c/", "d/e/", "d/c/", "e/d/"})
	path := func(label string) string { return dir.Draw(rt, label+"dir") + name.Draw(rt, label) }
	p := path("path")
	data := rapid.StringMatching("[a-z]{0,20}")
	switch op := rapid.SampledFrom([]string{
		"create", "create", "write", "write", "truncate", "remove", "remove", "mkdir", "rmdir", "rmrf",
		"rename", "rename", "rename", "link", "symlink", "chmod", "times", "save", "open",
		"list", "undo-some", "restart", "rewrite", "big", "setxattr", "removexattr", "tmpfile",
	}).Draw(rt, "op"); op {
	case "create":
		d := data.Draw(rt, "data")
		return "create " + p + " " + d, w.create(p, d)
	case "write":
		d, off := data.Draw(rt, "data"), rapid.Int64Range(-1, 20).Draw(rt, "off")
		return fmt.Sprintf("write %s %q at %d", p, d, off), w.write(p, d, off)
	case "big":
		return "big " + p, w.write(p, strings.Repeat(data.Draw(rt, "data")+".", 9000), 0)
	case "truncate":
		n := rapid.Int64Range(0, 30).Draw(rt, "size")
		return fmt.Sprintf("truncate %s to %d", p, n), w.truncate(p, n)
	case "remove":
		return "remove " + p, w.remove(p)
	case "mkdir":
		return "mkdir " + p, w.mkdir(p)
	case "rmdir":
		return "rmdir " + p, w.rmdir(p)
	case "rmrf":
		return "rmrf " + p, w.rmrf(p)
	case "rename":
		q := path("to")
		return "rename " + p + " " + q, w.rename(p, q)
	case "link":
		q := path("to")
		return "link " + p + " " + q, w.link(p, q)
	case "symlink":
		d := "t" + data.Draw(rt, "target")
		return "symlink " + p + " -> " + d, w.symlink(d, p)
	case "chmod":
		m := rapid.SampledFrom([]uint32{0o644, 0o600, 0o755, 0o700, 0o444, 0o000}).Draw(rt, "mode")
		return fmt.Sprintf("chmod %s %o", p, m), w.chmod(p, m)
	case "times":
		s := rapid.Int64Range(0, 1<<31).Draw(rt, "time")
		return fmt.Sprintf("times %s %d", p, s), w.chtimes(p, time.Unix(s, s))
	case "save":
		d := data.Draw(rt, "data")
		return "save " + p + " " + d, w.save(p, d)
	case "open":
		f, _, err := w.f.Open(p, true)
		if err == nil {
			f.Close()
		}
		return "open " + p, err
	case "setxattr":
		d := data.Draw(rt, "value")
		return "setxattr " + p + " " + d, w.setxattr(p, "user.x", d)
	case "removexattr":
		return "removexattr " + p, w.removexattr(p, "user.x")
	case "tmpfile":
		d := data.Draw(rt, "data")
		return "tmpfile " + p + " " + d, w.tmpfile(p, d)
	case "list":
		return "list", w.listed()
	case "undo-some":
		list, err := w.j.Changes(w.t.Context())
		if err != nil {
			return op, err
		}
		var ids []string
		for _, c := range list {
			if rapid.Bool().Draw(rt, "undo") {
				ids = append(ids, c.ID)
			}
		}
		if len(ids) == 0 {
			return op, nil
		}
		_, err = w.j.Undo(w.t.Context(), ids, UndoOptions{})
		return fmt.Sprintf("undo %q", ids), err
	case "restart":
		w.stop()
		w.begin()
	case "rewrite":
		w.j.rec.Mu.Lock()
		defer w.j.rec.Mu.Unlock()
		return op, w.j.rec.Rewrite()
	}
	return "restart", nil
}

// listed checks what must hold for every list of changes.
func (w *world) listed() error {
	list, err := w.j.Changes(w.t.Context())
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, c := range list {
		if ids[c.ID] {
			w.t.Fatalf("two changes with the id %s: %+v", c.ID, list)
		}
		ids[c.ID] = true
		if (c.Before == nil) != (c.Effect == EffectCreate) || (c.After == nil) != (c.Effect == EffectDelete) || c.Path == "" || c.Kind == "" {
			w.t.Fatalf("incomplete: %+v", c)
		}
	}
	return nil
}
