package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/vmhost/share/internal/store"
)

// appends appends to a file as the person's program does.
func (w *world) appends(rel, data string) {
	w.t.Helper()
	f, err := os.OpenFile(filepath.Join(w.dir, rel), os.O_WRONLY|os.O_APPEND, 0)
	w.check(err)
	_, err = f.WriteString(data)
	w.check(errors.Join(err, f.Close()))
}

func (w *world) adds(h store.Handle, data string) {
	w.t.Helper()
	_, err := h.Append([][]byte{[]byte(data[:1]), []byte(data[1:])})
	w.check(err)
}

// What the person appends to a file that the task is appending to is not the task's, however soon before
// or after the task's own lines it comes.
func TestUndoKeepsWhatIsAppendedBetweenTwoWrites(t *testing.T) {
	for name, do := range map[string]func(w *world, h store.Handle){
		"before the first":    func(w *world, h store.Handle) { w.appends("a", "mine\n"); w.adds(h, "task\n") },
		"between two":         func(w *world, h store.Handle) { w.adds(h, "task\n"); w.appends("a", "mine\n"); w.adds(h, "task\n") },
		"after the last":      func(w *world, h store.Handle) { w.adds(h, "task\n"); w.adds(h, "task\n"); w.appends("a", "mine\n") },
		"after one elsewhere": func(w *world, h store.Handle) { w.put(h, "task", 2); w.put(h, "task", 9); w.appends("a", "mine\n") },
		"after a pause": func(w *world, h store.Handle) {
			w.adds(h, "task\n")
			pause()
			w.appends("a", "mine\n")
			w.adds(h, "task\n")
		},
		"twice, and a pause": func(w *world, h store.Handle) {
			w.adds(h, "task\n")
			w.appends("a", "mine\n")
			w.adds(h, "task\n")
			pause()
			w.adds(h, "task\n")
			w.appends("a", "mine\n")
			w.adds(h, "task\n")
		},
		"through two handles": func(w *world, h store.Handle) {
			other := w.openFile("a")
			w.adds(h, "task\n")
			w.adds(other, "task\n")
			w.appends("a", "mine\n")
			w.adds(other, "task\n")
			w.adds(h, "task\n")
			w.check(other.Close())
		},
		"after the task cut it": func(w *world, h store.Handle) {
			w.adds(h, "task\n")
			w.check(h.Truncate(3))
			w.appends("a", "mine\n")
			w.adds(h, "task\n")
		},
		"by saving it shorter": func(w *world, h store.Handle) {
			w.adds(h, "task\n")
			w.by("a", "mine\n")
			w.adds(h, "task\n")
		},
	} {
		for _, then := range []string{"open", "closed", "closed and restarted", "closed and opened again", "time set"} {
			t.Run(name+"/"+then, func(t *testing.T) {
				openWorlds(t, func(t *testing.T, w *world) {
					h := w.openFile("a")
					do(w, h)
					read := func() string {
						b, err := os.ReadFile(filepath.Join(w.dir, "a"))
						w.check(err)
						return string(b)
					}
					lines := strings.Count(read(), "mine\n")
					switch then {
					case "time set":
						w.check(w.chtimes("a", w.oldtime))
						w.check(h.Close())
					case "closed and restarted":
						w.check(h.Close())
						w.restart()
					case "closed", "closed and opened again":
						w.check(h.Close())
					}
					if then == "closed and opened again" {
						w.adds(w.openFile("a"), "task\n")
					}
					before := read()
					r := w.undo()
					if got := strings.Count(read(), "mine\n"); got != lines || len(r.Conflicts) > 0 && read() != before {
						t.Errorf("%d of the person's lines are left of %d; undo says %+v", got, lines, r)
					}
				})
			})
		}
	}
}

// Two programs of the task that append to one file at once are not taken for a person.
func TestFileAppendedToByManyAtOnce(t *testing.T) {
	openWorlds(t, func(t *testing.T, w *world) {
		w.mark()
		var work sync.WaitGroup
		for n := range 4 {
			work.Go(func() {
				h, _, err := w.f.Open("a", true)
				for i := range 300 {
					if err == nil {
						_, err = h.Append([][]byte{fmt.Appendf(nil, "%d %d\n", n, i)})
					}
					if err == nil && i%50 == n {
						_, err = h.WriteAt([]byte("x"), int64(i))
					}
					if err == nil && i%100 == n {
						err = h.Close()
						h, _, _ = w.f.Open("a", true)
					}
				}
				if err = errors.Join(err, h.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r.Conflicts)
		}
		if d := diff(w.before, w.tree()); d != "" {
			t.Error(d)
		}
	})
}

// A log to which somebody appends all the time, also while it is copied, can be changed: what it had
// when that began is kept.
func TestFileAppendedToWhileItIsCopied(t *testing.T) {
	for name, size := range map[string]int{"in the log": 100, "copied": 120_000, "in parts": 3_000_000, "in small parts": 1_000} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, otherFS(t))
			if name == "in small parts" {
				w.parts = 20
			}
			theirs := strings.Repeat("0123456789", size/10)
			w.by("f", theirs)
			var first sync.Once
			grow := func(step string) {
				if step == "image-copied" {
					w.appends("f", "!")
				}
			}
			stop := make(chan struct{})
			var person sync.WaitGroup
			defer person.Wait()
			defer close(stop)
			w.hook = func(step string) {
				first.Do(func() { person.Go(func() { w.keepAppending("f", stop) }) })
				grow(step)
			}
			w.start()
			for range 20 {
				h := w.openFile("f")
				w.adds(h, "task\n")
				w.check(h.Close())
			}
			if b, err := os.ReadFile(filepath.Join(w.dir, "f")); err != nil || !strings.HasPrefix(string(b), theirs) || strings.Count(string(b), "task\n") != 20 {
				t.Errorf("%d bytes %v", len(b), err)
			}
		})
	}
}

func (w *world) keepAppending(rel string, stop chan struct{}) {
	f, err := os.OpenFile(filepath.Join(w.dir, rel), os.O_WRONLY|os.O_APPEND, 0)
	for err == nil {
		select {
		case <-stop:
			_ = f.Close()
			return
		default:
			_, err = f.WriteString("!")
		}
	}
	w.t.Error(err)
}

// Writing nothing behind the end of a file does not make it longer.
func TestWriteOfNothing(t *testing.T) {
	w := newWorld(t, "")
	w.mark()
	w.start()
	w.check(w.create("a", "task"))
	w.check(w.write("a", "", 100))
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Error(d)
	}
}
