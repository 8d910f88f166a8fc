package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/share/internal/at"
)

// diesAt copies the journal at the n-th step of this name of work, which ends there.
func (w *world) diesAt(step string, n int, work func()) (died string) {
	w.t.Helper()
	died = filepath.Join(w.t.TempDir(), "journal")
	j := w.j
	j.rec.Hook = func(s string) {
		if w.hook != nil {
			w.hook(s)
		}
		if s != step {
			return
		}
		if n--; n == 0 {
			w.check(os.CopyFS(died, os.DirFS(w.jdir)))
			panic(died)
		}
	}
	func() {
		defer func() { _ = recover() }()
		work()
	}()
	if !exists(died) {
		w.t.Fatal("it did not die")
	}
	w.j = nil // as it is
	return died
}

// timelessTree leaves out times of what was made anew.
func timelessTree(tree string) string {
	var out []string
	for line := range strings.SplitSeq(tree, "\n") {
		if f := strings.Fields(line); len(f) > 2 {
			line = strings.Join(f[:3], " ")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// Whether an undo or a redo of a journal was interrupted is known without reading it, and
// Finish finishes it.
func TestFinishInterrupted(t *testing.T) {
	for _, step := range []string{"undo-begun", "undo-placed", "undo-durable", "undo-done", "redo-begun"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("changed", "gone 1", "gone 2", "gone 3")
			w.start()
			w.mark()
			w.check(w.write("changed", "task", -1))
			w.check(w.create("made", "task"))
			for _, name := range []string{"gone 1", "gone 2", "gone 3"} {
				w.check(w.remove(name))
			}
			after := w.tree()
			want, work := w.before, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) }
			if redo := step[:4] == "redo"; redo {
				w.undo()
				want, work = after, func() { _, _ = w.j.Redo(context.Background(), nil) }
			}
			if Unfinished(w.jdir) {
				t.Error("unfinished before it began")
			}
			died := w.diesAt(step, 1, work)
			if !Unfinished(died) {
				t.Fatal("nobody knows that it was interrupted")
			}
			done, err := Finish(t.Context(), died, Options{})
			if err != nil || len(done.Undo.Conflicts)+len(done.Redo.Conflicts) > 0 || len(done.Undo.Undone)+len(done.Redo.Redone) != 5 && step != "undo-done" {
				t.Errorf("%+v %v", done, err)
			}
			if d := diff(timelessTree(want), timelessTree(w.tree())); d != "" {
				t.Error(d)
			}
			if Unfinished(died) {
				t.Error("unfinished when it was finished")
			}
		})
	}
}

// An undo that ends says nothing about itself in the journal's directory.
func TestFinishedIsNotUnfinished(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.start()
	w.check(w.remove("a"))
	w.undo()
	if Unfinished(w.jdir) {
		t.Error("unfinished after an undo")
	}
	_, err := w.j.Redo(t.Context(), nil)
	w.check(err)
	if Unfinished(w.jdir) {
		t.Error("unfinished after a redo")
	}
}

// What says that an undo is not finished is durable before the first record of the undo.
func TestUnfinishedIsDurable(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.start()
	w.check(w.remove("a"))
	known := false
	at.OnSync(func(f *os.File, _ bool) {
		if st, err := f.Stat(); err == nil && st.IsDir() {
			if own, err := os.Stat(w.jdir); err == nil && os.SameFile(own, st) {
				known = known || Unfinished(w.jdir)
			}
		}
	})
	defer at.OnSync(func(*os.File, bool) {})
	w.j.rec.Hook = func(s string) {
		if s == "undo-begun" && !known {
			t.Error("a power cut takes it, and leaves the record")
		}
	}
	w.undo()
}

// When ctx ends, the rest of an interrupted undo waits for the next time.
func TestFinishStops(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b", "c")
	w.start()
	w.mark()
	for _, name := range []string{"a", "b", "c"} {
		w.check(w.remove(name))
	}
	died := w.diesAt("undo-placed", 1, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Finish(ctx, died, Options{}); !errors.Is(err, context.Canceled) || !Unfinished(died) {
		t.Errorf("stopped: %v, unfinished %v", err, Unfinished(died))
	}
	_, err := Finish(t.Context(), died, Options{})
	w.check(err)
	if d := diff(w.before, w.tree()); d != "" || Unfinished(died) {
		t.Error(d)
	}
}

// An undo or a redo waits for a folder that cannot be opened, for whatever reason, and says so:
// at the next start, and to whoever asks for another one.
func TestFinishWithoutFolder(t *testing.T) {
	for name, instead := range map[string]func(w *world) error{
		"missing":             func(*world) error { return nil },
		"not mounted":         func(w *world) error { return os.Mkdir(w.dir, 0o755) },
		"not to be opened":    func(w *world) error { return os.Symlink(w.dir, w.dir) },
		"a file in its place": func(w *world) error { return os.WriteFile(w.dir, nil, 0o644) },
	} {
		for _, redo := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " redo ", redo), func(t *testing.T) {
				w := newWorld(t, "")
				w.seed("a", "b")
				w.start()
				w.mark()
				w.check(w.remove("a"))
				w.check(w.remove("b"))
				var died string
				want := w.before
				if !redo {
					died = w.diesAt("undo-placed", 1, func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) })
				} else {
					want = w.tree()
					w.undo()
					died = w.diesAt("redo-begun", 1, func() { _, _ = w.j.Redo(context.Background(), nil) })
				}
				away := w.dir + ".away"
				w.check(os.Rename(w.dir, away))
				w.check(instead(w))
				if _, err := Finish(t.Context(), died, Options{}); !errors.Is(err, ErrUnfinished) || !Unfinished(died) {
					t.Errorf("away: %v, unfinished %v", err, Unfinished(died))
				}
				j, err := Open(died, Options{})
				w.check(err)
				if r, err := j.Undo(t.Context(), nil, UndoOptions{}); !errors.Is(err, ErrUnfinished) || len(r.Conflicts) > 0 {
					t.Errorf("another undo: %+v %v", r, err)
				}
				if r, err := j.Redo(t.Context(), nil); !errors.Is(err, ErrUnfinished) || len(r.Conflicts) > 0 {
					t.Errorf("another redo: %+v %v", r, err)
				}
				w.check(j.Close())
				w.check(os.RemoveAll(w.dir))
				w.check(os.Rename(away, w.dir))
				_, err = Finish(t.Context(), died, Options{})
				w.check(err)
				if d := diff(timelessTree(want), timelessTree(w.tree())); d != "" || Unfinished(died) {
					t.Error(d)
				}
			})
		}
	}
}

// Who asks for an undo or a redo finishes the one that waits first, and hears of it.
func TestUndoFinishesTheOneThatWaits(t *testing.T) {
	for _, c := range []struct {
		name, step, ask string // what waits, and what is asked for
		a, b            string
		undone, redone  int
	}{
		{"undo, undo", "undo-placed", "undo", "content of a", "content of b", 2, 0},
		{"undo, redo", "undo-placed", "redo", "-", "-", 2, 2},
		{"redo, undo", "redo-begun", "undo", "content of a", "-", 1, 2},
		{"redo, redo", "redo-begun", "redo", "-", "-", 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("a", "b")
			w.start()
			w.check(w.remove("a"))
			w.check(w.remove("b"))
			work := func() { _, _ = w.j.Undo(context.Background(), nil, UndoOptions{}) }
			if c.step == "redo-begun" {
				w.undo()
				work = func() { _, _ = w.j.Redo(context.Background(), nil) }
			}
			died := w.diesAt(c.step, 1, work)
			away := w.dir + ".away"
			w.check(os.Rename(w.dir, away))
			j, err := Open(died, Options{})
			w.check(err)
			defer j.Close()
			w.check(os.Rename(away, w.dir))
			ask := func() (Report, error) { return j.Redo(t.Context(), nil) }
			if c.ask == "undo" {
				list, err := j.Changes(t.Context())
				w.check(err)
				ask = func() (Report, error) { return j.Undo(t.Context(), []string{list[0].ID}, UndoOptions{}) }
			}
			r, err := ask()
			w.check(err)
			if len(r.Conflicts) > 0 || len(r.Undone) != c.undone || len(r.Redone) != c.redone {
				t.Errorf("%+v", r)
			}
			w.has("a", c.a)
			w.has("b", c.b)
			if Unfinished(died) {
				t.Error("unfinished")
			}
		})
	}
}

// What a stopped undo did not come to is not taken for undone by a later one that is
// interrupted.
func TestStoppedUndoLeavesNothingKept(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b", "c")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	arm := w.while("undo-all-kept", cancel)
	for _, name := range []string{"a", "b", "c"} {
		w.check(w.write(name, "task", -1))
	}
	arm()
	if _, err := w.j.Undo(ctx, nil, UndoOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w.has("a", "task")
	id := w.id("b")
	died := w.diesAt("undo-begun", 1, func() { _, _ = w.j.Undo(context.Background(), []string{id}, UndoOptions{}) })
	done, err := Finish(t.Context(), died, Options{})
	w.check(err)
	if len(done.Undo.Undone) != 1 || done.Undo.Undone[0].ID != id {
		t.Errorf("%+v", done.Undo)
	}
	w.has("a", "task")
	w.has("b", "content of b")
}

// An undo or a redo that ends with the program is finished by the next one, and whoever stops one
// otherwise gives the rest up.
func TestStoppedForLater(t *testing.T) {
	for _, redo := range []bool{false, true} {
		for _, step := range []string{"all-kept", "placed", "fixed"} {
			for _, later := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, redo: %v, later: %v", step, redo, later), func(t *testing.T) {
					w := newWorld(t, "")
					w.seed("a", "b", "c", "d/x")
					ctx, stop := context.WithCancelCause(t.Context())
					defer stop(nil)
					cause := context.Canceled
					if later {
						cause = fmt.Errorf("the program ends: %w", ErrLater)
					}
					verb := "undo-"
					if redo {
						verb = "redo-"
					}
					arm := w.while(verb+step, func() { stop(cause) })
					w.mark()
					w.check(w.write("a", "task", -1))
					w.check(w.write("b", "task", -1))
					w.check(w.remove("c"))
					w.check(w.create("n", "task"))
					w.check(w.rename("d/x", "m"))
					left, begin := w.tree(), w.j.Undo
					if redo {
						w.undo()
						begin = func(ctx context.Context, _ []string, _ UndoOptions) (Report, error) { return w.j.Redo(ctx, nil) }
					}
					arm()
					if _, err := begin(ctx, nil, UndoOptions{}); !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					w.noLeftovers()
					w.check(w.j.Close())
					if Unfinished(w.jdir) != later {
						t.Error("unfinished:", !later)
					}
					done, err := Finish(t.Context(), w.jdir, Options{})
					w.check(err)
					if r := done.report(); len(r.Conflicts) > 0 || later != (len(r.Undone)+len(r.Redone) > 0) {
						t.Errorf("%+v", r)
					}
					want := w.before
					if redo {
						want = left
					}
					if d := diff(sansDirTimes(want), sansDirTimes(w.tree())); (d == "") != later {
						t.Errorf("as after all of it: %v\n%s", !later, d)
					}
				})
			}
		}
	}
}
