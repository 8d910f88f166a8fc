package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
)

// openFile opens a file as a program does that keeps it open.
func (w *world) openFile(rel string) store.Handle {
	w.t.Helper()
	h, _, err := w.f.Open(rel, true)
	w.check(err)
	w.t.Cleanup(func() { h.Close() })
	return h
}

func (w *world) put(h store.Handle, data string, off int64) {
	w.t.Helper()
	_, err := h.WriteAt([]byte(data), off)
	w.check(err)
}

// exactTimes skips where the times of a file do not tell who wrote to it last.
func (w *world) exactTimes() {
	w.t.Helper()
	f, err := os.Open(w.dir)
	w.check(err)
	defer f.Close()
	if !at.ExactTimes(f) {
		w.t.Skip("the time of a file may change after it is written here")
	}
}

// pause is longer than the disk takes for one step of its times, and than a program of the guest
// writes without a look at the file.
func pause() { time.Sleep(50 * time.Millisecond) }

// openWorlds are the ways in which content is kept.
func openWorlds(t *testing.T, do func(t *testing.T, w *world)) {
	for name, make := range map[string]func(t *testing.T) *world{
		"in the log": func(t *testing.T) *world { return newWorld(t, "") },
		"in parts": func(t *testing.T) *world {
			w := newWorld(t, otherFS(t))
			w.parts = 20
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := make(t)
			w.exactTimes()
			w.check(os.WriteFile(filepath.Join(w.dir, "a"), bytes.Repeat([]byte("0123456789"), 20), 0o644))
			w.age()
			w.start()
			do(t, w)
		})
	}
}

// What a person saves in a file that a program of the guest has open stays theirs: undo leaves it
// alone, whether the program has the file open still or not.
func TestUndoKeepsWhatIsSavedInAnOpenFile(t *testing.T) {
	for _, how := range []string{"open", "open, asked twice", "closed", "closed and listed", "closed and restarted", "closed after an undo", "closed, of an old time"} {
		t.Run(how, func(t *testing.T) {
			openWorlds(t, func(t *testing.T, w *world) {
				h := w.openFile("a")
				made, _, err := w.f.Create("n", 0o644)
				w.check(err)
				defer made.Close()
				for range 3 { // a look after each would be too slow
					w.put(h, "task", 3)
					w.put(made, "task", 0)
				}
				pause()
				w.by("a", "mine")
				w.by("n", "mine, too")
				if how == "closed, of an old time" {
					w.check(os.Chtimes(filepath.Join(w.dir, "a"), w.oldtime, w.oldtime))
				}
				if how == "open, asked twice" || how == "closed after an undo" {
					w.undo()
				}
				if strings.HasPrefix(how, "closed") {
					w.check(h.Close())
					w.check(made.Close())
				}
				switch how {
				case "closed and listed":
					w.changes()
				case "closed and restarted":
					w.restart()
				}
				if got := w.undo().reasons(); got["a"] != ReasonChanged || got["n"] != ReasonChanged {
					t.Errorf("%v", got)
				}
				w.has("a", "mine")
				w.has("n", "mine, too")
			})
		})
	}
}

// What a person saved in a file that is open is the "before" of what the guest does to it next, by
// whichever way: undo brings it back.
func TestUndoBringsBackWhatWasSavedInAnOpenFile(t *testing.T) {
	for name, next := range map[string]func(w *world, h, other store.Handle){
		"the same file":         func(w *world, h, _ store.Handle) { w.put(h, "task", 5) },
		"another":               func(w *world, _, other store.Handle) { w.put(other, "task", 5) },
		"one, then the other":   func(w *world, h, other store.Handle) { w.put(other, "task", 5); w.put(h, "more", 1) },
		"a new one":             func(w *world, _, _ store.Handle) { w.check(w.write("a", "task", -1)) },
		"made shorter":          func(w *world, h, _ store.Handle) { w.check(h.Truncate(1)) },
		"removed":               func(w *world, _, _ store.Handle) { w.check(w.remove("a")) },
		"replaced":              func(w *world, _, _ store.Handle) { w.check(w.save("a", "task")) },
		"written, then removed": func(w *world, h, _ store.Handle) { w.put(h, "task", 5); w.check(w.remove("a")) },
	} {
		for _, before := range []string{"written", "opened only", "written and closed before"} {
			t.Run(name+"/"+before, func(t *testing.T) {
				openWorlds(t, func(t *testing.T, w *world) {
					if before == "written and closed before" {
						w.check(w.write("a", "task", 3))
					}
					h, other := w.openFile("a"), w.openFile("a")
					if before == "written" {
						w.put(h, "first", 30)
						w.put(other, "second", 60)
					}
					pause()
					const mine = "mine, and longer than a block of those in which it is kept: more than sixteen bytes"
					w.by("a", mine)
					pause()
					next(w, h, other)
					h.Close()
					other.Close()
					if r := w.undo(); len(r.Conflicts) > 0 {
						t.Errorf("%+v", r.Conflicts)
					}
					w.has("a", mine)
				})
			})
		}
	}
}

// What a person saved in a file that the task made and has open is theirs, and stays when the guest
// writes on.
func TestUndoKeepsAMadeFileSavedWhileOpen(t *testing.T) {
	w := newWorld(t, "")
	w.exactTimes()
	w.start()
	made, _, err := w.f.Create("n", 0o644)
	w.check(err)
	w.put(made, "task", 0)
	pause()
	w.by("n", "mine")
	pause()
	w.put(made, "task again", 0)
	w.check(made.Close())
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	w.has("n", "mine")
}

// What the guest itself does to a file that it has open, by whichever way and in whichever order, is
// not taken for a person's: undo brings back what was there before.
func TestOpenFileOfTheTaskIsNoPersons(t *testing.T) {
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	mode := uint32(0o600)
	for name, do := range map[string]func(w *world, h, other store.Handle){
		"in bursts": func(w *world, h, _ store.Handle) {
			for i := range 100 {
				w.put(h, "burst", int64(i))
				time.Sleep(time.Duration(i/20) * time.Millisecond)
			}
			pause()
		},
		"slowly":          func(w *world, h, _ store.Handle) { pause(); w.put(h, "x", 5); pause(); w.put(h, "y", 6); pause() },
		"in turns":        func(w *world, h, other store.Handle) { pause(); w.put(other, "x", 5); pause(); w.put(h, "y", 6) },
		"by another file": func(w *world, h, _ store.Handle) { pause(); w.check(w.write("a", "x", 40)); pause(); w.put(h, "y", 6) },
		"emptied":         func(w *world, h, other store.Handle) { w.check(other.Truncate(0)); pause(); w.put(h, "y", 6) },
		"emptied anew":    func(w *world, h, _ store.Handle) { w.check(w.write("a", "x", -1)); pause(); w.check(h.Truncate(3)) },
		"room":            func(w *world, h, _ store.Handle) { _ = h.Allocate(0, 0, 1000); pause(); w.put(h, "y", 6) },
		"the time of it":  func(w *world, h, _ store.Handle) { w.check(h.SetMeta(at.Meta{MTime: old})); pause(); w.put(h, "y", 6) },
		"the time, last":  func(w *world, h, _ store.Handle) { pause(); w.check(h.SetMeta(at.Meta{MTime: old})) },
		"time by name":    func(w *world, h, _ store.Handle) { pause(); w.check(w.chtimes("a", old)); pause() },
		"time, then data": func(w *world, h, _ store.Handle) { pause(); w.check(w.chtimes("a", old)); w.put(h, "y", 6); pause() },
		"the mode":        func(w *world, h, _ store.Handle) { pause(); w.check(h.SetMeta(at.Meta{Mode: &mode})); pause() },
		"mode by name":    func(w *world, h, _ store.Handle) { pause(); w.check(w.chmod("a", 0o600)); w.put(h, "y", 6) },
		"synced":          func(w *world, h, _ store.Handle) { pause(); w.check(h.Sync()); pause(); w.put(h, "y", 6) },
		"renamed":         func(w *world, h, _ store.Handle) { w.check(w.rename("a", "b")); pause(); w.put(h, "y", 6) },
		"linked":          func(w *world, h, _ store.Handle) { w.check(w.link("a", "b")); pause(); w.put(h, "y", 6) },
		"removed":         func(w *world, h, _ store.Handle) { w.check(w.remove("a")); pause(); w.put(h, "y", 6) },
		"replaced":        func(w *world, h, _ store.Handle) { pause(); w.check(w.save("a", "new")); w.put(h, "y", 6) },
		"listed":          func(w *world, h, _ store.Handle) { pause(); w.changes(); w.put(h, "y", 6); pause(); w.changes() },
		"undone before":   func(w *world, h, _ store.Handle) { pause(); w.undo(); pause(); w.put(h, "y", 6); pause() },
		"read by a person": func(w *world, h, _ store.Handle) {
			pause()
			_, err := os.ReadFile(filepath.Join(w.dir, "a"))
			w.check(err)
			w.put(h, "y", 6)
		},
	} {
		for _, then := range []string{"open", "closed", "opened again"} {
			t.Run(name+"/"+then, func(t *testing.T) {
				openWorlds(t, func(t *testing.T, w *world) {
					w.mark()
					h, other := w.openFile("a"), w.openFile("a")
					w.put(h, "task", 3)
					w.put(h, "task", 150)
					do(w, h, other)
					if then != "open" {
						w.check(h.Close())
						w.check(other.Close())
					}
					if then == "opened again" {
						pause()
						_ = w.write("a", "last", 100)
					}
					if r := w.undo(); len(r.Conflicts) > 0 {
						t.Errorf("%+v", r.Conflicts)
					}
					if d := diff(w.before, w.tree()); d != "" {
						t.Error(d)
					}
				})
			})
		}
	}
}

// Two programs of the guest that write to one file at the same time are not taken for a person.
func TestFileWrittenByManyAtOnce(t *testing.T) {
	openWorlds(t, func(t *testing.T, w *world) {
		w.mark()
		done := make(chan error)
		const writers = 4
		for n := range writers {
			go func() {
				for i := range 200 {
					h, _, err := w.f.Open("a", true)
					if err == nil {
						_, err = h.WriteAt([]byte{byte(i)}, int64(n*40+i%40))
					}
					if err == nil && i%20 == n {
						err = h.Truncate(int64(150 + i))
					}
					if i%50 == n {
						time.Sleep(25 * time.Millisecond)
					}
					if err == nil {
						err = h.Close()
					}
					if err != nil {
						done <- err
						return
					}
					if _, err := w.f.SetMeta("a", at.Meta{MTime: time.Unix(int64(i), 0)}); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range writers {
			w.check(<-done)
		}
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r.Conflicts)
		}
		if d := diff(w.before, w.tree()); d != "" {
			t.Error(d)
		}
	})
}
