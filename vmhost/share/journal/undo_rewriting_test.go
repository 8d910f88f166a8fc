package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/journal/internal/recorder"
)

// rewritingWorld has two files that undo writes into in place: their content is kept in parts,
// or, with links, they have another name outside of the folder.
func rewritingWorld(t *testing.T, links bool) *world {
	w := newWorld(t, "")
	if !links {
		w.parts = 30
	}
	w.seed("a, long enough for parts of it", "b, long enough for parts of it")
	for _, name := range []string{"a", "b"} {
		w.check(os.Rename(filepath.Join(w.dir, name+", long enough for parts of it"), filepath.Join(w.dir, name)))
		if links {
			w.check(os.Link(filepath.Join(w.dir, name), filepath.Join(w.dir, "../"+name)))
		}
	}
	w.age()
	w.mark()
	w.start()
	for _, name := range []string{"a", "b"} {
		w.check(w.write(name, "task", 2))
		w.check(w.write(name, "task", 34))
	}
	w.changes()
	return w
}

const (
	mine    = "mine, and long enough for parts of it"
	beforeA = "content of a, long enough for parts of it"
)

// saves are ways in which a person saves a file.
var saves = map[string]func(w *world, name string){
	"in place": func(w *world, name string) { w.by(name, mine) },
	"by rename": func(w *world, name string) {
		w.by("new", mine)
		w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, name)))
	},
}

// What a person saves after an undo died, and before it is finished, is theirs, also in a file
// that undo had written into, or was writing into.
func TestInterruptedRewriteLeavesWhatIsSavedSince(t *testing.T) {
	for _, links := range []bool{false, true} {
		for how, save := range saves {
			for name, c := range map[string]struct {
				step string
				n    int
				wait time.Duration // a file that undo was at is told by the time alone
			}{
				"written":        {"undo-rewriting", 2, 0},
				"half written":   {"undo-rewritten", 1, recorder.DeathSlack + 200*time.Millisecond},
				"to be written":  {"undo-rewriting", 1, recorder.DeathSlack + 200*time.Millisecond},
				"all but at end": {"undo-durable", 1, 0},
			} {
				t.Run(fmt.Sprint(name, ", ", how, ", links ", links), func(t *testing.T) {
					t.Parallel()
					w := rewritingWorld(t, links)
					died := w.diesAt(c.step, c.n, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
					time.Sleep(c.wait)
					save(w, "a")
					done, err := Finish(t.Context(), died, Options{})
					w.check(err)
					if got := done.Undo.reasons(); len(got) > 1 || len(got) == 1 && got["a"] != ReasonChanged || len(got)+len(done.Undo.Undone) != 2 {
						t.Errorf("%+v", done.Undo)
					}
					w.has("a", mine)
					w.has("b", "content of b, long enough for parts of it")
					w.jdir = died
					w.restart()
					w.undo() // a second one overwrites it no more than the first
					w.has("a", mine)
					w.noLeftovers()
				})
			}
		}
	}
}

// Where nobody came in between, an interrupted rewrite is finished however long that takes.
func TestInterruptedRewriteIsFinishedLater(t *testing.T) {
	for _, links := range []bool{false, true} {
		for _, step := range []string{"undo-rewriting", "undo-rewritten", "undo-fixed"} {
			t.Run(fmt.Sprint(step, ", links ", links), func(t *testing.T) {
				t.Parallel()
				w := rewritingWorld(t, links)
				died := w.diesAt(step, 1, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
				time.Sleep(recorder.DeathSlack + 200*time.Millisecond)
				done, err := Finish(t.Context(), died, Options{})
				w.check(err)
				if len(done.Undo.Conflicts) > 0 || len(done.Undo.Undone) != 2 {
					t.Errorf("%+v", done.Undo)
				}
				if d := diff(w.before, w.tree()); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// An undo that died twice does not take what a person saved after the first time for its own.
func TestRewriteInterruptedTwiceLeavesWhatIsSavedSince(t *testing.T) {
	t.Parallel()
	w := rewritingWorld(t, false)
	died := w.diesAt("undo-rewritten", 1, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
	time.Sleep(recorder.DeathSlack + 200*time.Millisecond)
	w.by("a", mine)
	w.jdir = died
	var again string
	func() {
		defer func() { _ = recover() }()
		_, _ = open(died, Options{}, func(s string) {
			if s == "undo-rewriting" {
				time.Sleep(2 * recorder.SyncDelay) // the log says that undo is at work
				again = filepath.Join(t.TempDir(), "journal")
				w.check(os.CopyFS(again, os.DirFS(died)))
				panic("died again")
			}
		})
	}()
	if again == "" {
		t.Fatal("it did not die again")
	}
	done, err := Finish(t.Context(), again, Options{})
	w.check(err)
	if got := done.Undo.reasons(); got["a"] != ReasonChanged || len(done.Undo.Undone) != 1 {
		t.Errorf("%+v", done.Undo)
	}
	w.has("a", mine)
}

// A file that waits in the journal and has another name is written into in place, too.
func TestInterruptedRewriteLeavesWhatIsSavedThroughAnotherName(t *testing.T) {
	for step, wait := range map[string]time.Duration{"undo-all-kept": 0, "undo-placed": 0, "undo-rewriting": recorder.DeathSlack + 200*time.Millisecond} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.seed("a")
			w.check(os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "../b")))
			w.start()
			w.check(w.write("a", "task", -1))
			w.check(w.remove("a"))
			w.changes()
			died := w.diesAt(step, 1, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
			time.Sleep(wait)
			w.by("../b", mine)
			done, err := Finish(t.Context(), died, Options{})
			w.check(err)
			w.has("../b", mine)
			switch got := done.Undo.reasons(); {
			case step != "undo-all-kept": // it has its name back, and the person saved it there, too
				if got["a"] != ReasonChanged {
					t.Errorf("%+v", done.Undo)
				}
			case len(got) > 0:
				t.Errorf("%+v", done.Undo)
			default:
				w.has("a", "content of a")
			}
		})
	}
}

// A rewrite that the disk refused in the middle is known by the state that it left: the next undo
// finishes it, unless a person saved something there.
func TestFailedRewrite(t *testing.T) {
	for how, save := range saves {
		for _, saved := range []bool{false, true} {
			t.Run(fmt.Sprint(how, " ", saved), func(t *testing.T) {
				w := rewritingWorld(t, false)
				image, hidden := "", filepath.Join(t.TempDir(), "image")
				w.j.rec.Hook = func(s string) {
					if s == "undo-rewriting" && image == "" {
						list, err := filepath.Glob(filepath.Join(w.jdir, "images", "*"))
						w.check(err)
						image = list[0]
						b, err := os.ReadFile(image)
						w.check(err)
						w.check(os.WriteFile(hidden, b, 0o600))
						w.check(os.Truncate(image, int64(len(b)-10)))
					}
				}
				r := w.undo()
				if len(r.Conflicts) != 1 || len(r.Undone) != 1 {
					t.Fatalf("%+v", r)
				}
				name := r.Conflicts[0].Change.Path
				if b, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(b[2:6]) == "task" {
					t.Fatalf("nothing of it was written: %q %v", b, err)
				}
				b, err := os.ReadFile(hidden)
				w.check(err)
				w.check(os.WriteFile(image, b, 0o600))
				if saved {
					save(w, name)
				}
				r = w.undo()
				if saved {
					if r.reasons()[name] != ReasonChanged {
						t.Errorf("%+v", r)
					}
					w.has(name, mine)
				} else if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
					t.Errorf("%+v\n%s", r, d)
				}
			})
		}
	}
}

// What a person saves in place while undo checks what it is going to write, and writes down that it
// does, is theirs: undo looks once more before it writes.
func TestUndoLooksOnceMoreBeforeItRewrites(t *testing.T) {
	world := map[string]func(t *testing.T) (w *world, edited string){
		"kept in parts":     func(t *testing.T) (*world, string) { return rewritingWorld(t, false), "a" },
		"with another name": func(t *testing.T) (*world, string) { return rewritingWorld(t, true), "a" },
		"in the journal, with another name": func(t *testing.T) (*world, string) {
			w := rewritingWorld(t, true)
			w.check(w.remove("a"))
			return w, "../a"
		},
	}
	for name, make := range world {
		t.Run(name, func(t *testing.T) {
			w, edited := make(t)
			kept, saved := false, false
			w.j.rec.Hook = func(s string) {
				if kept && !saved && s == "synced" {
					saved = true
					w.by(edited, mine)
				}
				kept = kept || s == "undo-all-kept"
			}
			r := w.undo()
			if !saved || r.reasons()["a"] != ReasonChanged || len(r.Undone) != 1 {
				t.Errorf("saved %v: %+v", saved, r)
			}
			w.has(edited, mine)
			w.has("b", "content of b, long enough for parts of it")
			w.j.rec.Hook = nil
			w.restart()
			w.undo() // and the next one does not take it for its own
			w.has(edited, mine)
		})
	}
}

// A half written file whose time is later than it should be, because a scanner touched it or the clock
// of its drive is ahead, is finished all the same when nothing is in it but what was before and what
// undo found and keeps. Anything else in it is a person's.
func TestHalfWrittenFileIsKnownByItsContent(t *testing.T) {
	const other = "OTHER"
	for name, c := range map[string]struct {
		links bool
		half  func(now []byte) []byte
		mine  bool
	}{
		"in parts":                          {false, func(now []byte) []byte { return append([]byte(beforeA[:16]), now[16:]...) }, false},
		"in parts, in the middle of one":    {false, func(now []byte) []byte { return append([]byte(beforeA[:3]), now[3:]...) }, true},
		"in parts, edited where undo wrote": {false, func(now []byte) []byte { return append([]byte(other), now[len(other):]...) }, true},
		"in parts, edited elsewhere":        {false, func(now []byte) []byte { return append(append([]byte(beforeA[:20]), other...), now[25:]...) }, true},
		"in parts, longer":                  {false, func(now []byte) []byte { return append([]byte(beforeA), other...) }, true},
		"whole":                             {true, func([]byte) []byte { return []byte(beforeA[:16]) }, false},
		"whole, edited":                     {true, func([]byte) []byte { return []byte(beforeA[:16] + other) }, true},
		"whole, longer":                     {true, func([]byte) []byte { return []byte(beforeA + other) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := rewritingWorld(t, c.links)
			died := w.diesAt("undo-rewriting", 1, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
			time.Sleep(recorder.DeathSlack + 200*time.Millisecond)
			path := filepath.Join(w.dir, "a")
			now, err := os.ReadFile(path)
			w.check(err)
			half := string(c.half(now))
			w.check(os.WriteFile(path, []byte(half), 0o644))
			done, err := Finish(t.Context(), died, Options{})
			w.check(err)
			if !c.mine {
				if d := diff(w.before, w.tree()); d != "" || len(done.Undo.Conflicts) > 0 || len(done.Undo.Undone) != 2 {
					t.Errorf("%+v\n%s", done.Undo, d)
				}
				return
			}
			if done.Undo.reasons()["a"] != ReasonChanged {
				t.Errorf("%+v", done.Undo)
			}
			w.has("a", half)
		})
	}
}
