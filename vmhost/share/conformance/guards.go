package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// guarded is a host whose folder "asked" has a guard, and a person who answers.
type guarded struct {
	*host
	guard *guard.Guard

	mu     sync.Mutex
	asked  []vmhost.Question
	answer func(q vmhost.Question) (answer, scope string) // nil: says nothing until the end
	came   chan struct{}                                  // a question came
}

const d = "asked"

// originals is how many files asked/many has.
const originals = 50

func newGuarded(h *host, p guard.Policy) *guarded {
	g := &guarded{host: h, came: make(chan struct{}, 1000)}
	g.answer = func(vmhost.Question) (string, string) { return vmhost.AnswerDeny, vmhost.ScopeOnce }
	for i := range originals {
		h.put(fmt.Sprintf("asked/many/%02d", i), "original")
	}
	for _, f := range []string{"file", "second", "dir/file", ".git/config", ".git/hooks/sample"} {
		h.put("asked/"+f, "original")
	}
	g.guard = guard.New(p, guard.Options{Task: "t", Ask: g.ask, Window: time.Millisecond})
	h.t.Cleanup(g.guard.Close)
	_, err := h.set.Add(share.Folder{ID: d, Path: h.path(d), Guard: g.guard}, h.j)
	h.check(err)
	return g
}

func (h *host) put(rel, text string) {
	h.t.Helper()
	h.check(os.MkdirAll(filepath.Dir(h.path(rel)), 0o755))
	h.check(os.WriteFile(h.path(rel), []byte(text), 0o644))
}

func (g *guarded) ask(ctx context.Context, q vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
	g.mu.Lock()
	g.asked = append(g.asked, q)
	answer := g.answer
	g.mu.Unlock()
	g.came <- struct{}{}
	if answer == nil {
		<-ctx.Done()
		return guard.Answer{}, ctx.Err()
	}
	a, s := answer(q)
	return guard.Answer{Decision: vmhost.Decision{Answer: a, Scope: s}}, nil
}

func (g *guarded) says(answer, scope string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = func(vmhost.Question) (string, string) { return answer, scope }
}

func (g *guarded) questions() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.asked)
}

// strict asks about the first original, so that every way around it shows.
var strict = guard.Policy{Rules: guard.ForCommands.Rules}

// evasions try to destroy what was there without being asked. Each must end in
// EACCES, with everything as it was.
var evasions = []struct {
	name string
	do   func(g Guest) error
}{
	{"delete", func(g Guest) error { return g.Unlink("asked/file") }},
	{"write", func(g Guest) error { return put(g, "asked/file", ReadWrite, "x", 0) }},
	{"write at the end", func(g Guest) error { return put(g, "asked/file", WriteOnly, "x", 8) }},
	{"open and truncate", func(g Guest) error { return second(g.Open("asked/file", WriteOnly|Truncate)) }},
	{"open for reading and truncate", func(g Guest) error { return second(g.Open("asked/file", ReadOnly|Truncate)) }},
	{"create over it", func(g Guest) error { return second(g.Create("asked/file", ReadWrite|Truncate, 0o644)) }},
	{"truncate", func(g Guest) error { return g.Truncate("asked/file", 0) }},
	{"truncate what is open", func(g Guest) error {
		return using(g, "asked/file", ReadWrite, func(f Handle) error { return f.Truncate(0) })
	}},
	{"rename over it", func(g Guest) error {
		return after(made(g, "asked/new"), func() error { return errors.Join(g.Rename("asked/new", "asked/file"), leave(g, "asked/new")) })
	}},
	{"rename one over the other", func(g Guest) error { return g.Rename("asked/second", "asked/file") }},
	{"rename", func(g Guest) error { return g.Rename("asked/file", "asked/elsewhere") }},
	{"move into its own directory", func(g Guest) error {
		return after(g.Mkdir("asked/own", 0o755), func() error { return errors.Join(g.Rename("asked/file", "asked/own/file"), g.Rmdir("asked/own")) })
	}},
	{"move the directory", func(g Guest) error { return g.Rename("asked/dir", "asked/dir2") }},
	{"mode, then delete", func(g Guest) error {
		return errors.Join(expect(g.Chmod("asked/file", 0o600), linux.EACCES), g.Unlink("asked/file"))
	}},
	{"times", func(g Guest) error { return g.Chtimes("asked/file", stamp) }},
	{"write through a second name", func(g Guest) error {
		return after(g.Link("asked/file", "asked/mine"), func() error { return errors.Join(put(g, "asked/mine", ReadWrite, "x", 0), leave(g, "asked/mine")) })
	}},
	{"delete the first name of two", func(g Guest) error {
		if err := g.Link("asked/file", "asked/mine"); err != nil {
			return err
		}
		err := g.Unlink("asked/file")
		return errors.Join(err, leave(g, "asked/mine"))
	}},
	{"rename over a second name", func(g Guest) error {
		if err := g.Link("asked/file", "asked/mine"); err != nil {
			return err
		}
		if err := made(g, "asked/new"); err != nil {
			return err
		}
		return errors.Join(g.Rename("asked/new", "asked/mine"), leave(g, "asked/new"), leave(g, "asked/mine"))
	}},
	{"exchange by three renames", func(g Guest) error {
		return after(made(g, "asked/new"), func() error {
			return errors.Join(expect(g.Rename("asked/file", "asked/old"), linux.EACCES), g.Rename("asked/new", "asked/file"), leave(g, "asked/new"))
		})
	}},
	{"a hook", func(g Guest) error { return second(g.Create("asked/.git/hooks/post-commit", ReadWrite, 0o755)) }},
	{"a hook by rename", func(g Guest) error {
		return after(made(g, "asked/new"), func() error {
			return errors.Join(g.Rename("asked/new", "asked/.git/hooks/post-commit"), leave(g, "asked/new"))
		})
	}},
	{"a hook by link", func(g Guest) error {
		return after(made(g, "asked/new"), func() error {
			return errors.Join(g.Link("asked/new", "asked/.git/hooks/post-commit"), leave(g, "asked/new"))
		})
	}},
	{"a hook by symlink", func(g Guest) error { return g.Symlink("/tmp/x", "asked/.git/hooks/post-commit") }},
	{"hooks by directory", func(g Guest) error {
		return after(g.Mkdir("asked/own", 0o755), func() error {
			return errors.Join(expect(g.Rename("asked/.git/hooks", "asked/h"), linux.EACCES), g.Rename("asked/own", "asked/.git/hooks"), g.Rmdir("asked/own"))
		})
	}},
	{"git's configuration through a link", func(g Guest) error { return g.Link("asked/.git/config", "asked/c") }},
	{"a start file in a directory that it makes", func(g Guest) error {
		return inOwn(g, []string{"asked/.vscode"}, func() error { return second(g.Create("asked/.vscode/tasks.json", ReadWrite, 0o644)) })
	}},
	{"a start file two directories down", func(g Guest) error {
		return inOwn(g, []string{"asked/dir/.config", "asked/dir/.config/autostart"}, func() error {
			return second(g.Create("asked/dir/.config/autostart/x", ReadWrite, 0o644))
		})
	}},
	{"a start file that arrives in a directory that it made", func(g Guest) error {
		if err := made(g, "asked/new"); err != nil {
			return err
		}
		err := inOwn(g, []string{"asked/.ssh"}, func() error { return g.Rename("asked/new", "asked/.ssh/authorized_keys") })
		return errors.Join(err, leave(g, "asked/new"))
	}},
	{"a directory with another spelling", func(g Guest) error {
		return inOwn(g, []string{"asked/.VS\u200cCode"}, func() error { return second(g.Create("asked/.VS\u200cCode/Tasks.json", ReadWrite, 0o644)) })
	}},
	{"a link in the place of a directory", func(g Guest) error {
		return inOwn(g, []string{"asked/own"}, func() error { return g.Symlink("own", "asked/.vscode") })
	}},
	{"a link that gets the name later", func(g Guest) error {
		return after(g.Symlink("own", "asked/link"), func() error { return errors.Join(g.Rename("asked/link", "asked/.vscode"), leave(g, "asked/link")) })
	}},
	{"a second name of a link", func(g Guest) error {
		return after(g.Symlink("own", "asked/link"), func() error { return errors.Join(g.Link("asked/link", "asked/.vscode"), leave(g, "asked/link")) })
	}},
	{"mknod of a start file", func(g Guest) error { return g.Mknod("asked/.bashrc", typeFile|0o644) }},
}

// after makes an attempt that needs something before it.
func after(before error, do func() error) error {
	if before != nil {
		return before
	}
	return do()
}

// inOwn makes an attempt in directories that it makes, the outermost first.
func inOwn(g Guest, dirs []string, do func() error) error {
	for _, d := range dirs {
		if err := g.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	errs := []error{do()}
	for _, d := range slices.Backward(dirs) {
		errs = append(errs, g.Rmdir(d))
	}
	return errors.Join(errs...)
}

func made(g Guest, path string) error {
	f, err := g.Create(path, ReadWrite|Exclusive, 0o644)
	if err != nil {
		return err
	}
	return write(f, "made", 0)
}

// leave removes what an attempt made, which is asked about where it is a name of an
// original.
func leave(g Guest, path string) error {
	err := g.Unlink(path)
	if no, is := errors.AsType[linux.Errno](err); is && no == linux.EACCES {
		return nil
	}
	return err
}

// guardScenes are what a folder with a guard does.
var guardScenes = map[string]func(h *host){
	"guards: ways around": func(h *host) {
		for _, e := range evasions {
			h.place.play(h.t, "guards: "+e.name, e.name, h.sharing, h.start, func(h *host) {
				t, g := h.t, newGuarded(h, strict)
				before := h.tree(d)
				if err := expect(e.do(h.g), linux.EACCES); err != nil {
					t.Error(err)
				}
				// A second name of an original may be left: removing it was refused.
				_ = os.Remove(h.path("asked/mine"))
				if after := h.tree(d); after != before {
					t.Errorf("changed:\n%s\nwas:\n%s", after, before)
				}
				if g.questions() == 0 {
					t.Error("nobody was asked")
				}
			})
		}
	},
	"guards: what the task makes is its own": func(h *host) {
		g := newGuarded(h, strict)
		h.check(h.g.Mkdir("asked/own", 0o755))
		for i := range 20 {
			name := fmt.Sprintf("asked/own/%d", i)
			h.check(made(h.g, name))
			h.check(put(h.g, name, ReadWrite|Truncate, "again", 0))
			h.check(h.g.Chmod(name, 0o600))
			h.check(h.g.Rename(name, name+"b"))
			h.check(h.g.Link(name+"b", name+"c"))
			h.check(h.g.Unlink(name + "b"))
			h.check(h.g.Rename(name+"c", "asked/file of its own"))
			h.check(h.g.Unlink("asked/file of its own"))
		}
		h.check(h.g.Rmdir("asked/own"))
		h.check(put(h.g, "rw/file", ReadWrite, "a folder without a guard", 0))
		if n := g.questions(); n > 0 {
			h.t.Errorf("asked %d times: %+v", n, g.asked[0])
		}
	},
	"guards: fifty originals": func(h *host) {
		for _, answer := range []string{vmhost.AnswerDeny, vmhost.AnswerAllow} {
			h := h.place.host(h.t, h.sharing, h.start)
			g := newGuarded(h, guard.ForCommands)
			g.says(answer, vmhost.ScopeTask)
			before := h.tree(d)
			refused := 0
			for i := range originals {
				err := h.g.Unlink(fmt.Sprintf("asked/many/%02d", i))
				if err != nil {
					h.check(expect(err, linux.EACCES))
					refused++
				}
			}
			left, err := os.ReadDir(h.path("asked/many"))
			h.check(err)
			want := 0
			if answer == vmhost.AnswerDeny {
				want = originals - guard.ForCommands.Deletes.Free
			}
			if len(left) != want || refused != want || g.questions() != 1 {
				h.t.Errorf("%s: %d left, %d refused, asked %d times", answer, len(left), refused, g.questions())
			}
			if r, err := h.j.Undo(h.t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
				h.t.Errorf("undo: %+v %v", r, err)
			}
			if after := h.tree(d); after != before {
				h.t.Errorf("after undo:\n%s\nwant:\n%s", after, before)
			}
		}
	},
	"guards: what is open when it is refused": func(h *host) {
		g := newGuarded(h, strict)
		g.says(vmhost.AnswerAllow, vmhost.ScopeOnce)
		f, err := h.g.Open("asked/file", ReadWrite)
		h.check(err)
		later, err := h.g.Open("asked/second", ReadWrite)
		h.check(err)
		_, err = f.WriteAt([]byte("O"), 0)
		h.check(err)
		g.says(vmhost.AnswerDeny, vmhost.ScopeTask)
		_, err = later.WriteAt([]byte("x"), 0)
		h.check(expect(err, linux.EACCES))
		_, err = f.WriteAt([]byte("x"), 1)
		h.check(expect(err, linux.EACCES)) // a refusal is for what is open, too
		h.check(errors.Join(f.Close(), later.Close()))
		h.check(content("file", "Original")(h.path(d)))
		h.check(content("second", "original")(h.path(d)))
	},
	// While one call waits, others of the guest do not; the end of the folder ends it.
	"guards: who waits alone": func(h *host) {
		g := newGuarded(h, strict)
		g.mu.Lock()
		g.answer = nil
		g.mu.Unlock()
		done := make(chan error, 1)
		go func() { done <- h.g.Rename("asked/file", "asked/other") }()
		<-g.came
		for i := range 10 {
			name := fmt.Sprintf("asked/new%d", i)
			h.check(made(h.g, name))
			h.check(h.g.Rename(name, name+"b"))
			h.check(h.g.Unlink(name + "b"))
		}
		if a, err := h.g.Stat("asked/file"); err != nil || a.Size != 8 {
			h.t.Errorf("%+v %v", a, err)
		}
		select {
		case err := <-done:
			h.t.Fatalf("it did not wait: %v", err)
		default:
		}
		h.set.Remove(d)
		h.check(expect(<-done, linux.ESTALE, linux.ENODEV))
		h.check(content("file", "original")(h.path(d)))
	},
	// Between the question and the answer the guest puts another file at the name.
	"guards: another file than was asked about": func(h *host) {
		g := newGuarded(h, guard.Policy{Changes: guard.Limit{Free: 1000}})
		var once sync.Once
		swap := func(q vmhost.Question) (string, string) {
			swapped := false
			once.Do(func() {
				h.check(h.g.Rename("asked/file", "asked/away"))
				h.check(h.g.Rename("asked/second", "asked/file"))
				swapped = true
			})
			if swapped && strings.Join(q.Items, " ") == "file" {
				return vmhost.AnswerAllow, vmhost.ScopeOnce
			}
			return vmhost.AnswerDeny, vmhost.ScopeOnce
		}
		g.mu.Lock()
		g.answer = swap
		g.mu.Unlock()
		h.check(expect(h.g.Unlink("asked/file"), linux.EACCES))
		h.check(content("file", "original")(h.path(d)))
		h.check(content("away", "original")(h.path(d)))
	},
	"guards: many hands": func(h *host) {
		g := newGuarded(h, guard.ForCommands)
		g.says(vmhost.AnswerDeny, vmhost.ScopeTask)
		var wg sync.WaitGroup
		for w := range 5 {
			wg.Go(func() {
				for i := range originals / 5 {
					if err := h.g.Unlink(fmt.Sprintf("asked/many/%02d", w*originals/5+i)); err != nil {
						if err := expect(err, linux.EACCES); err != nil {
							h.t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		left, err := os.ReadDir(h.path("asked/many"))
		h.check(err)
		if want := originals - guard.ForCommands.Deletes.Free; len(left) != want {
			h.t.Errorf("%d left of %d, want %d", len(left), originals, want)
		}
	},
}
