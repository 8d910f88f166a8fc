//go:build unix

package review

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/journal"
)

var propertySeed = []string{"a", "b", "d/a", "d/b", "d/e/c", "e/", "l -> d/a", "h = a", "d/k = d/e/c", "d/f/x", "d/f/y"}

// A task may do anything in any order, be interrupted and go on, have parts of it
// applied or forgotten in between. The merged view is what the same does to a
// plain directory, the original stays as it was; applied whole it is the merged
// view, and undone it is what it was.
func TestAnything(t *testing.T) {
	tier.Checks(t, "3000")
	base := quick(t)
	has := keepsAttrs(base)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		here := filepath.Join(base, fmt.Sprint(n))
		w := newWorld(t, here)
		model := plain{filepath.Join(here, "model")}
		w.check(os.Mkdir(model.dir, 0o755))
		w.check(seed(w.dir, propertySeed...))
		w.check(seed(model.dir, propertySeed...))
		w.begin()
		before := w.original(withTimes)
		var log []string
		fatal := func(format string, args ...any) {
			rt.Fatalf("steps:\n%s\n\n%s\nlist: %q", strings.Join(log, "\n"), fmt.Sprintf(format, args...), w.changes())
		}
		touched, links := false, withLinks
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			s := draw(rt)
			log = append(log, s.String())
			switch s.op {
			case "restart":
				w.end()
				w.begin()
			case "compact":
				w.l.mu.Lock()
				w.check(w.l.compact())
				w.l.mu.Unlock()
			case "list":
				w.changes()
			case "apply":
				touched, links = true, 0
				ids := w.some(rt)
				if ids == nil {
					continue
				}
				view := w.merged(withTimes)
				r := w.apply(ids, ApplyOptions{})
				if len(r.Conflicts) > 0 {
					fatal("apply %q: %+v", ids, r.Conflicts)
				}
				if d := diff(view, w.merged(withTimes)); d != "" {
					fatal("apply %q changed the view:\n%s", ids, d)
				}
			case "discard":
				ids := w.some(rt)
				if ids == nil {
					continue
				}
				_, err := w.l.Discard(t.Context(), ids, w.journal)
				w.check(err)
				links = 0 // a file that comes back does not know of names that are still lost
				// What is left is the model now.
				w.check(os.RemoveAll(model.dir))
				w.check(os.Mkdir(model.dir, 0o755))
				w.check(copyView(staged{w.s}, model.dir))
			case "xattr", "noxattr":
				if !has {
					continue
				}
				fallthrough
			default:
				errs := []error{s.do(staged{w.s}), s.do(model)}
				if (errs[0] == nil) != (errs[1] == nil) {
					fatal("layer: %v, plain: %v", errs[0], errs[1])
				}
			}
			want, err := treeOf(model.dir, links)
			w.check(err)
			got, err := staged{w.s}.tree(links)
			if err != nil {
				fatal("walking: %v", err)
			}
			if d := diff(want, got); d != "" {
				fatal("the view differs:\n%s", d)
			}
			if d := diff(before, w.original(withTimes)); d != "" && !touched {
				fatal("the original was changed:\n%s", d)
			}
		}
		if rapid.Bool().Draw(rt, "discard all") {
			now := w.original(withTimes)
			_, err := w.l.Discard(t.Context(), nil, w.journal)
			w.check(err)
			if d := diff(now, w.merged(withTimes)); d != "" {
				fatal("after forgetting everything:\n%s", d)
			}
		} else {
			view := w.merged(withTimes)
			if r, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{}); len(r.Conflicts) > 0 || err != nil {
				fatal("%+v %v", r.Conflicts, err)
			}
			if d := diff(view, w.original(withTimes)); d != "" {
				fatal("applied:\n%s", d)
			}
			if d := diff(view, w.merged(withTimes)); d != "" {
				fatal("the view after applying:\n%s", d)
			}
		}
		if left := w.changes(); len(left) > 0 {
			fatal("left in the list")
		}
		if u := w.l.Usage(); u.Content != 0 {
			fatal("%+v", u)
		}
		if objects, err := os.ReadDir(filepath.Join(w.own, "objects")); len(objects) > 0 || err != nil {
			fatal("objects left: %v %v", objects, err)
		}
		if r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
			fatal("undo: %+v %v", r.Conflicts, err)
		}
		if d := diff(before, w.original(withTimes)); d != "" {
			fatal("after undo:\n%s", d)
		}
		w.end()
		w.check(os.RemoveAll(here))
	})
}

// some draws ids of the list.
func (w *world) some(rt *rapid.T) []string {
	list, err := w.l.Changes(w.t.Context())
	w.check(err)
	var ids []string
	for _, c := range list {
		if rapid.Bool().Draw(rt, "chosen") {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// step is one thing that a task does.
type step struct {
	op, p, q, data string
	num            int64
}

func (s step) String() string { return fmt.Sprintf("%s %s %s %q %d", s.op, s.p, s.q, s.data, s.num) }

func draw(rt *rapid.T) step {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "h", "l"})
	dir := rapid.SampledFrom([]string{"", "", "d/", "e/", "c/", "d/e/", "d/c/", "e/d/", "d/f/", "f/"})
	return step{
		op: rapid.SampledFrom([]string{"create", "create", "write", "write", "truncate", "remove", "remove", "mkdir", "rmdir", "rmrf",
			"rename", "rename", "rename", "rename", "link", "symlink", "chmod", "times", "save", "xattr", "xattr", "noxattr", "restart", "compact", "list", "apply", "discard"}).Draw(rt, "op"),
		p:    dir.Draw(rt, "dir") + name.Draw(rt, "name"),
		q:    dir.Draw(rt, "to") + name.Draw(rt, "new"),
		data: rapid.StringMatching("[a-z]{0,9}").Draw(rt, "data"),
		num:  rapid.Int64Range(0, 20).Draw(rt, "number"),
	}
}

func (s step) do(t task) error {
	switch s.op {
	case "create":
		return t.create(s.p, s.data)
	case "write":
		return t.write(s.p, s.data+".", s.num)
	case "truncate":
		return t.truncate(s.p, s.num)
	case "remove":
		return t.remove(s.p)
	case "mkdir":
		return t.mkdir(s.p)
	case "rmdir":
		return t.rmdir(s.p)
	case "rmrf":
		return rmrf(t, s.p)
	case "rename":
		return t.rename(s.p, s.q)
	case "link":
		return t.link(s.p, s.q)
	case "symlink":
		return t.symlink("t"+s.data, s.p)
	case "chmod":
		return t.chmod(s.p, []uint32{0o711, 0o755, 0o700, 0o744}[s.num%4])
	case "times":
		return t.chtimes(s.p, time.Unix(s.num*1000, s.num))
	case "xattr":
		return t.setxattr(s.p, "user."+string('a'+rune(s.num%3)), s.data)
	case "noxattr":
		return t.removexattr(s.p, "user."+string('a'+rune(s.num%3)))
	case "save": // as editors do
		if err := t.create(s.p+"~", s.data); err != nil {
			return err
		}
		if err := t.rename(s.p+"~", s.p); err != nil {
			return t.remove(s.p + "~")
		}
	}
	return nil
}

// rmrf removes what can be there, blindly.
func rmrf(t task, p string) error {
	for _, sub := range []string{"a", "b", "c", "d", "e", "f", "h", "k", "l", "x", "y"} {
		if t.remove(p+"/"+sub) != nil {
			for _, s := range []string{"a", "b", "c", "d", "e", "f", "h", "k", "l", "x", "y"} {
				_ = t.remove(p + "/" + sub + "/" + s)
			}
			_ = t.rmdir(p + "/" + sub)
		}
	}
	_ = t.rmdir(p)
	return nil
}
