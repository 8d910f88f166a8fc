//go:build unix

package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piwork/scripts/lib/tier"
)

// Names are exchanged, Apply is stopped anywhere, the task goes on, parts are forgotten: the
// merged view stays what it is, no content of a person's is ever lost or left under a
// temporary name, and undo brings the folder back.
func TestInterruptedExchanges(t *testing.T) {
	tier.Checks(t, "1000")
	base := quick(t)
	n, lifts := 0, 0
	defer func() { t.Logf("%d tries found something lifted", lifts) }()
	names := []string{"a", "b", "c", "d", "d/a", "d/b"}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		here := filepath.Join(base, fmt.Sprint(n))
		w := newWorld(t, here)
		w.check(seed(w.dir, "a", "b", "c", "d/a", "d/b"))
		w.begin()
		s := staged{w.s}
		before := w.original(withTimes)
		var log []string
		fatal := func(format string, args ...any) {
			rt.Fatalf("steps:\n%s\n\n%s\nlist: %q\n%s", strings.Join(log, "\n"), fmt.Sprintf(format, args...), w.changes(), w.original(0))
		}
		name := rapid.SampledFrom(names)
		for range rapid.IntRange(2, 10).Draw(rt, "steps") {
			op := rapid.SampledFrom([]string{"swap", "swap", "swap", "rename", "remove", "write", "stop", "stop", "discard", "restart"}).Draw(rt, "op")
			p, q := name.Draw(rt, "p"), name.Draw(rt, "q")
			log = append(log, op+" "+p+" "+q)
			switch op {
			case "swap":
				if s.rename(p, "t") == nil {
					if s.rename(q, p) != nil {
						w.check(s.rename("t", p))
					} else if s.rename("t", q) != nil {
						_ = s.rename("t", "t2")
					}
				}
			case "rename":
				_ = s.rename(p, q)
			case "remove":
				_ = s.remove(p)
			case "write":
				_ = s.write(p, "TASK", 0)
			case "restart":
				w.end()
				w.begin()
				s = staged{w.s}
			case "discard":
				if ids := w.some(rt); ids != nil {
					_, err := w.l.Discard(t.Context(), ids, w.journal)
					w.check(err)
				}
			case "stop":
				view := w.merged(withTimes)
				ctx, cancel := context.WithCancel(t.Context())
				i, stop := 0, rapid.IntRange(1, 25).Draw(rt, "at")
				w.l.hook = func(string) {
					if i++; i == stop {
						cancel()
					}
				}
				r, err := w.l.Apply(ctx, w.j, nil, ApplyOptions{})
				w.l.hook = nil
				if len(r.Conflicts) > 0 || err != nil && ctx.Err() == nil {
					fatal("%+v %v", r.Conflicts, err)
				}
				cancel()
				if len(w.l.lifted()) > 0 {
					log, lifts = append(log, "(lifted)"), lifts+1
				}
				if d := diff(view, w.merged(withTimes)); d != "" {
					fatal("the view changed:\n%s", d)
				}
			}
		}
		if rapid.Bool().Draw(rt, "discard all") {
			_, err := w.l.Discard(t.Context(), nil, w.journal)
			w.check(err)
		} else {
			view := w.merged(withTimes)
			if r, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{}); len(r.Conflicts) > 0 || err != nil {
				fatal("%+v %v", r.Conflicts, err)
			}
			if d := diff(view, w.original(withTimes)); d != "" {
				fatal("applied:\n%s", d)
			}
		}
		if len(w.hidden()) > 0 || len(w.changes()) > 0 {
			fatal("hidden: %q", w.hidden())
		}
		if d := diff(w.merged(withTimes), w.original(withTimes)); d != "" {
			fatal("the view in the end:\n%s", d)
		}
		if err := undone(t, w); err != nil {
			fatal("undo: %v", err)
		}
		if d := diff(before, w.original(withTimes)); d != "" {
			fatal("undone:\n%s", d)
		}
		w.end()
		w.check(os.RemoveAll(here))
	})
}
