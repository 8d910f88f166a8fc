package copied

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	guest "piwork/pack/guest/copied"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
	"piwork/vmhost/wire"
)

// world is a folder "rw", a read-only one "ro", a state, and a place with their copies.
type world struct {
	*testing.T
	base  string
	set   *share.Set
	j     *journal.Journal
	c     *Copy
	moved []Beside
	verbs []string // of what the place was asked for
}

// run is a place: the guest's part, in this process.
func (w *world) run(_ context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
	if len(argv) < 3 || argv[0] != wire.CopyProgram || argv[1] != wire.CopyPart {
		return fmt.Errorf("%q", argv)
	}
	w.verbs = append(w.verbs, argv[2])
	return guest.Run(argv[2], argv[3:], in, out)
}

func (w *world) here(name string) string  { return filepath.Join(w.base, "here", name) }
func (w *world) there(name string) string { return filepath.Join(w.base, "there/folders", name) }

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) begin() {
	w.Helper()
	w.check(w.c.Begin(w.Context(), w.run))
}

func (w *world) end() {
	w.Helper()
	w.check(w.c.End(w.Context(), w.run))
}

// at returns a file's content, or why there is none.
func (w *world) at(path string) string {
	w.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return fs.ErrNotExist.Error()
	}
	return string(b)
}

func write(w *world, path, content string) {
	w.Helper()
	w.check(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)))
}

// seed fills a folder.
func seed(w *world, dir string) {
	w.Helper()
	for _, name := range []string{"a.txt", "b.txt", "dir/c.txt", "dir/sub/d.txt", "dir/sub/e.txt", "x\xff\n.txt"} {
		write(w, filepath.Join(dir, name), "content of "+name)
	}
	w.check(errors.Join(
		os.Symlink("a.txt", filepath.Join(dir, "link")), os.Mkdir(filepath.Join(dir, "empty"), 0o755),
		os.Chmod(filepath.Join(dir, "b.txt"), 0o755), os.Chtimes(filepath.Join(dir, "a.txt"), time.Time{}, time.Unix(1e9, 5)),
	))
}

func newWorld(t *testing.T, o Options, g *guard.Guard) *world {
	t.Helper()
	w := &world{T: t, base: t.TempDir()}
	for _, name := range []string{"rw", "ro", "state/uploads"} {
		w.check(os.MkdirAll(w.here(name), 0o755))
	}
	seed(w, w.here("rw"))
	seed(w, w.here("ro"))
	write(w, w.here("state/uploads/u.txt"), "uploaded")
	var err error
	w.j, err = journal.Open(filepath.Join(w.base, "journal"), journal.Options{})
	w.check(err)
	w.set = share.NewSet(share.Options{})
	t.Cleanup(func() { w.set.Close(); w.check(w.j.Close()) })
	_, err = w.set.Add(share.Folder{ID: "rw", Path: w.here("rw"), Guard: g}, w.j)
	w.check(err)
	_, err = w.set.Add(share.Folder{ID: "ro", Path: w.here("ro"), ReadOnly: true}, nil)
	w.check(err)
	w.check(w.set.AddState(w.here("state"), 0))
	o.Name, o.Folders, o.State = "test", filepath.Join(w.base, "there/folders"), filepath.Join(w.base, "there/state")
	o.Beside = func(b Beside) { w.moved = append(w.moved, b) }
	w.c = New(w.set, o)
	return w
}

// tree is everything in a directory: types, modes, contents, and the times of files.
func (w *world) tree(root string) string {
	w.Helper()
	var out []string
	w.check(filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		what := ""
		switch info.Mode().Type() {
		case 0:
			what = fmt.Sprintf("%q %d", w.at(p), info.ModTime().UnixNano())
		case fs.ModeSymlink:
			what, _ = os.Readlink(p)
		}
		out = append(out, fmt.Sprintf("%q %v %s", strings.TrimPrefix(p, root), info.Mode(), what))
		return nil
	}))
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// What a task does in a copy is in the folder afterwards, whatever it is, and undo takes it
// back; nothing else changes.
func TestChanges(t *testing.T) {
	for name, tt := range map[string]struct {
		do    func(w *world, dir string) error
		kinds string // effects in the journal, "" for any
	}{
		"nothing":               {func(*world, string) error { return nil }, "none"},
		"a new file":            {func(w *world, d string) error { return os.WriteFile(d+"/new", []byte("new"), 0o640) }, "create"},
		"a new empty file":      {func(w *world, d string) error { return os.WriteFile(d+"/new", nil, 0o600) }, "create"},
		"another content":       {func(w *world, d string) error { return os.WriteFile(d+"/a.txt", []byte("other"), 0o644) }, "change"},
		"a longer one":          {func(w *world, d string) error { return appendTo(d+"/dir/sub/d.txt", strings.Repeat("more\n", 1<<19)) }, "change"},
		"the time is set back":  {backdated, "change"},
		"a safe save":           {safeSave, ""},
		"a removed file":        {func(w *world, d string) error { return os.Remove(d + "/dir/c.txt") }, "delete"},
		"a removed directory":   {func(w *world, d string) error { return os.RemoveAll(d + "/dir") }, ""},
		"a rename":              {func(w *world, d string) error { return os.Rename(d+"/a.txt", d+"/dir/z.txt") }, "move"},
		"a rename over another": {func(w *world, d string) error { return os.Rename(d+"/a.txt", d+"/b.txt") }, ""},
		"a directory's rename":  {func(w *world, d string) error { return os.Rename(d+"/dir", d+"/other") }, "move"},
		"and changes in it": {func(w *world, d string) error {
			return errors.Join(os.Rename(d+"/dir", d+"/other"), os.WriteFile(d+"/other/c.txt", []byte("x"), 0o644), os.Remove(d+"/other/sub/d.txt"), os.WriteFile(d+"/other/sub/n", nil, 0o644))
		}, ""},
		"a rename into a new directory": {func(w *world, d string) error {
			return errors.Join(os.Mkdir(d+"/new", 0o750), os.Rename(d+"/dir", d+"/new/dir"), os.Rename(d+"/a.txt", d+"/new/a.txt"))
		}, ""},
		"two swapped": {func(w *world, d string) error {
			return errors.Join(os.Rename(d+"/a.txt", d+"/t"), os.Rename(d+"/b.txt", d+"/a.txt"), os.Rename(d+"/t", d+"/b.txt"))
		}, ""},
		"two directories in a row": {func(w *world, d string) error {
			return errors.Join(os.Rename(d+"/dir", d+"/t"), os.Rename(d+"/empty", d+"/dir"))
		}, ""},
		"a directory for a file": {func(w *world, d string) error {
			return errors.Join(os.Rename(d+"/a.txt", d+"/t"), os.Mkdir(d+"/a.txt", 0o755), os.Rename(d+"/t", d+"/a.txt/a.txt"))
		}, ""},
		"a file for a directory": {func(w *world, d string) error {
			return errors.Join(os.Rename(d+"/dir/c.txt", d+"/c"), os.RemoveAll(d+"/dir"), os.WriteFile(d+"/dir", []byte("file"), 0o644))
		}, ""},
		"links": {func(w *world, d string) error {
			return errors.Join(os.Remove(d+"/link"), os.Symlink("/etc/passwd", d+"/link"), os.Symlink("../../..", d+"/dir/up"))
		}, ""},
		"modes": {func(w *world, d string) error {
			return errors.Join(os.Chmod(d+"/a.txt", 0o600), os.Chmod(d+"/dir/sub", 0o500), os.Chmod(d+"/b.txt", 0o444))
		}, ""},
		"deep": {func(w *world, d string) error {
			return errors.Join(os.MkdirAll(d+strings.Repeat("/deep", 100), 0o755), os.WriteFile(d+strings.Repeat("/deep", 100)+"/f", []byte("f"), 0o644))
		}, ""},
		"nothing that a folder can have": {func(w *world, d string) error {
			return errors.Join(syscall.Mkfifo(d+"/pipe", 0o644), os.Remove(d+"/a.txt"))
		}, "delete"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, nil)
			before := w.tree(w.here("rw"))
			w.begin()
			if got := w.tree(w.there("rw")); got != before {
				t.Fatalf("sent:\n%s\nnot:\n%s", got, before)
			}
			w.check(tt.do(w, w.there("rw")))
			want := w.tree(w.there("rw"))
			w.end()
			if name == "nothing that a folder can have" {
				w.check(os.Remove(w.there("rw/pipe")))
				want = w.tree(w.there("rw"))
			}
			if got := w.tree(w.here("rw")); got != want {
				t.Errorf("in the folder:\n%s\nin the copy:\n%s", got, want)
			}
			list, err := w.j.Changes(t.Context())
			w.check(err)
			var effects []string
			for _, c := range list {
				if e := string(c.Effect); !slices.Contains(effects, e) {
					effects = append(effects, e)
				}
			}
			if got := strings.Join(effects, " "); tt.kinds != "" && got != strings.TrimPrefix(tt.kinds, "none") {
				t.Errorf("the journal has %q", got)
			}
			// A second time nothing is left to do.
			w.verbs = nil
			w.begin()
			w.end()
			if got := strings.Join(w.verbs, " "); got != "list" {
				t.Errorf("again: %s", got)
			}
			w.set.Remove("rw")
			if _, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil {
				t.Error(err)
			}
			if got := w.tree(w.here("rw")); got != before {
				t.Errorf("after undo:\n%s\nbefore:\n%s", got, before)
			}
		})
	}
}

func appendTo(path, s string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(s)
	return errors.Join(err, f.Close())
}

// backdated changes a file and hides that.
func backdated(_ *world, d string) error {
	at, err := os.Stat(d + "/a.txt")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(d+"/a.txt", []byte("CONTENT of a.txt"), 0o644), os.Chtimes(d+"/a.txt", time.Time{}, at.ModTime()))
}

func safeSave(_ *world, d string) error {
	return errors.Join(os.WriteFile(d+"/.tmp", []byte("saved"), 0o644), os.Rename(d+"/.tmp", d+"/a.txt"))
}

// A read-only folder and uploads are sent, write-protected, and never changed.
func TestReadOnly(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	before := w.tree(w.here("ro")) + w.tree(w.here("state"))
	w.begin()
	if got := w.at(w.there("ro/dir/sub/d.txt")); got != "content of dir/sub/d.txt" {
		t.Errorf("%q", got)
	}
	for _, name := range []string{w.there("ro/dir"), w.there("ro/a.txt"), filepath.Join(w.base, "there/state/uploads/u.txt")} {
		if at, err := os.Lstat(name); err != nil || at.Mode().Perm()&0o222 != 0 {
			t.Errorf("%v %v", at, err)
		}
	}
	w.check(errors.Join(
		os.Chmod(w.there("ro/dir"), 0o755), os.RemoveAll(w.there("ro/dir")), os.WriteFile(w.there("ro/new"), nil, 0o644),
		os.RemoveAll(filepath.Join(w.base, "there/state/uploads")),
	))
	w.end()
	if got := w.tree(w.here("ro")) + w.tree(w.here("state")); got != before {
		t.Errorf("changed:\n%s", got)
	}
}

// The state of the task goes both ways.
func TestState(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	w.begin()
	write(w, filepath.Join(w.base, "there/state/s/session"), "kept")
	w.end()
	if got := w.at(w.here("state/s/session")); got != "kept" {
		t.Errorf("%q", got)
	}
}

// What a person changed meanwhile is theirs: the task's version is put beside it, and the
// copy gets the person's.
func TestConflicts(t *testing.T) {
	for name, tt := range map[string]struct {
		person, task func(d string) error
		want         map[string]string // in the folder, and in the copy after the next Begin
		beside       string
	}{
		"both changed": {
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("mine"), 0o644) },
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("the task's"), 0o644) },
			map[string]string{"a.txt": "mine", "a (new).txt": "the task's"}, "a (new).txt",
		},
		"both made it": {
			func(d string) error { return os.WriteFile(d+"/n.tar.gz", []byte("mine"), 0o644) },
			func(d string) error { return os.WriteFile(d+"/n.tar.gz", []byte("the task's"), 0o644) },
			map[string]string{"n.tar.gz": "mine", "n (new).tar.gz": "the task's"}, "n (new).tar.gz",
		},
		"removed by the task": {
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("mine"), 0o644) },
			func(d string) error { return os.Remove(d + "/a.txt") },
			map[string]string{"a.txt": "mine"}, "",
		},
		"removed by the person": {
			func(d string) error { return os.Remove(d + "/a.txt") },
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("the task's"), 0o644) },
			map[string]string{"a.txt": fs.ErrNotExist.Error(), "a (new).txt": "the task's"}, "a (new).txt",
		},
		"renamed by the task": {
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("mine"), 0o644) },
			func(d string) error { return os.Rename(d+"/a.txt", d+"/r.txt") },
			map[string]string{"a.txt": "mine", "r.txt": "content of a.txt"}, "",
		},
		"into a directory that goes": {
			func(d string) error { return os.WriteFile(d+"/dir/mine", []byte("mine"), 0o644) },
			func(d string) error { return os.RemoveAll(d + "/dir") },
			map[string]string{"dir/mine": "mine", "dir/c.txt": fs.ErrNotExist.Error()}, "",
		},
		"in a directory that is renamed": {
			func(d string) error { return os.WriteFile(d+"/dir/c.txt", []byte("mine"), 0o644) },
			func(d string) error {
				return errors.Join(os.Rename(d+"/dir", d+"/other"), os.WriteFile(d+"/other/c.txt", []byte("the task's"), 0o644))
			},
			map[string]string{"other/c.txt": "mine", "other/c (new).txt": "the task's"}, "other/c (new).txt",
		},
		"a file in the place of a directory that stays": {
			func(d string) error { return os.WriteFile(d+"/dir/mine", []byte("mine"), 0o644) },
			func(d string) error {
				return errors.Join(os.RemoveAll(d+"/dir"), os.WriteFile(d+"/dir", []byte("the task's"), 0o644))
			},
			map[string]string{"dir/mine": "mine", "dir (new)": "the task's"}, "dir (new)",
		},
		"a file in the place of a directory of another mode": {
			func(d string) error { return os.Chmod(d+"/empty", 0o700) },
			func(d string) error {
				return errors.Join(os.Remove(d+"/empty"), os.WriteFile(d+"/empty", []byte("the task's"), 0o644))
			},
			map[string]string{"empty (new)": "the task's"}, "empty (new)",
		},
		"a link in the place of a changed file": {
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("mine"), 0o644) },
			func(d string) error { return errors.Join(os.Remove(d+"/a.txt"), os.Symlink("b.txt", d+"/a.txt")) },
			map[string]string{"a.txt": "mine", "a (new).txt": "content of b.txt"}, "a (new).txt",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, nil)
			w.begin()
			w.check(errors.Join(tt.person(w.here("rw")), tt.task(w.there("rw"))))
			w.end()
			for path, want := range tt.want {
				if got := w.at(w.here("rw/" + path)); got != want {
					t.Errorf("in the folder %s is %q, not %q", path, got, want)
				}
			}
			if tt.beside != "" && (len(w.moved) != 1 || w.moved[0].Beside != tt.beside || w.moved[0].Folder != "rw") {
				t.Errorf("%+v", w.moved)
			}
			w.begin()
			for path, want := range tt.want {
				if got := w.at(w.there("rw/" + path)); got != want {
					t.Errorf("in the copy %s is %q, not %q", path, got, want)
				}
			}
			w.end()
			if got, want := w.tree(w.here("rw")), w.tree(w.there("rw")); got != want {
				t.Errorf("in the folder:\n%s\nin the copy:\n%s", got, want)
			}
		})
	}
}

// A directory of the task has no name where a person's file stays: what could not be made is named.
func TestDirectoryInThePlaceOfAChangedFile(t *testing.T) {
	for name, task := range map[string]func(d string) error{
		"a new one": func(d string) error {
			return errors.Join(os.Mkdir(d+"/a.txt", 0o755), os.WriteFile(d+"/a.txt/d.txt", []byte("the task's"), 0o644))
		},
		"one that had another name": func(d string) error { return os.Rename(d+"/dir/sub", d+"/a.txt") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, nil)
			w.begin()
			write(w, w.here("rw/a.txt"), "mine")
			w.check(errors.Join(os.Remove(w.there("rw/a.txt")), task(w.there("rw"))))
			err := w.c.End(t.Context(), w.run)
			unsaved, is := errors.AsType[*vmhost.UnsavedError](err)
			if !is || !slices.Contains(unsaved.Paths, "rw/a.txt") || !slices.Contains(unsaved.Paths, "rw/a.txt/d.txt") {
				t.Errorf("%v", err)
			}
			if got := w.at(w.here("rw/a.txt")); got != "mine" {
				t.Errorf("%q", got)
			}
		})
	}
}

// interfering runs a place in which a program does something before the next put or, with
// midway, in the middle of a content of it.
func (w *world) interfering(do func(d string) error, midway bool) Run {
	return func(ctx context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
		if argv[2] == wire.CopyPut && !midway {
			w.check(do(w.there("rw")))
		} else if argv[2] == wire.CopyPut {
			in = &interrupted{in, 2, func() { w.check(do(w.there("rw"))) }}
		}
		return w.run(ctx, argv, in, out)
	}
}

// interrupted does something before a read.
type interrupted struct {
	io.ReadCloser
	n  int
	do func()
}

func (r *interrupted) Read(p []byte) (int, error) {
	if r.n--; r.n == 0 {
		r.do()
	}
	return r.ReadCloser.Read(p)
}

// What a program makes between the list and the put after it stays, whatever the put brings: it
// is in the folder at the next End, or named there.
func TestPutLeavesWhatProgramsMade(t *testing.T) {
	const large = 600 << 10 // does not come at once
	for name, tt := range map[string]struct {
		person, program func(d string) error
		midway          bool
		want            map[string]string // in the folder
		unsaved         []string
	}{
		"in a directory that goes": {
			func(d string) error { return os.RemoveAll(d + "/dir") },
			func(d string) error { return os.WriteFile(d+"/dir/n", []byte("made"), 0o644) }, false,
			map[string]string{"dir/c.txt": fs.ErrNotExist.Error()}, []string{"rw/dir/n"},
		},
		"in a directory that becomes a file": {
			func(d string) error {
				return errors.Join(os.Remove(d+"/empty"), os.WriteFile(d+"/empty", []byte("mine"), 0o644))
			},
			func(d string) error { return os.WriteFile(d+"/empty/n", []byte("made"), 0o644) }, false,
			map[string]string{"empty": "mine"}, []string{"rw/empty/n"},
		},
		"a file as long": {
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("mine"), 0o644) },
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("made"), 0o644) }, false,
			map[string]string{"a.txt": "mine", "a (new).txt": "made"}, nil,
		},
		"a file while its content comes": {
			func(d string) error { return os.WriteFile(d+"/a.txt", make([]byte, large), 0o644) },
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("made"), 0o644) }, true,
			map[string]string{"a.txt": string(make([]byte, large)), "a (new).txt": "made"}, nil,
		},
		"a new file while its content comes": {
			func(d string) error { return os.WriteFile(d+"/0", make([]byte, large), 0o644) },
			func(d string) error { return os.WriteFile(d+"/0", []byte("made"), 0o644) }, true,
			map[string]string{"0": string(make([]byte, large)), "0 (new)": "made"}, nil,
		},
		"no directory for it": {
			func(d string) error { return os.WriteFile(d+"/empty/n", []byte("mine"), 0o644) },
			func(d string) error { return os.Remove(d + "/empty") }, false,
			map[string]string{"empty/n": "mine"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, nil)
			w.begin()
			w.end()
			w.check(tt.person(w.here("rw")))
			w.check(w.c.Begin(t.Context(), w.interfering(tt.program, tt.midway)))
			err := w.c.End(t.Context(), w.run)
			if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); is != (tt.unsaved != nil) || is && !slices.Equal(unsaved.Paths, tt.unsaved) || !is && err != nil {
				t.Errorf("%v", err)
			}
			for path, want := range tt.want {
				if got := w.at(w.here("rw/" + path)); got != want {
					t.Errorf("in the folder %s is %.40q, not %.40q", path, got, want)
				}
			}
			w.begin()
			w.end()
			if got, want := w.tree(w.here("rw")), w.tree(w.there("rw")); got != want && tt.unsaved == nil {
				t.Errorf("in the folder:\n%s\nin the copy:\n%s", got, want)
			}
		})
	}
}

// What a put was cut off with is no file of the task, and hinders nothing.
func TestPutThatWasCutOff(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	w.begin()
	for _, dir := range []string{"rw", "rw/dir/sub"} {
		write(w, filepath.Join(w.there(dir), wire.CopyBeside), "half")
	}
	w.end()
	before := w.tree(w.here("rw"))
	write(w, w.here("rw/a.txt"), "mine")
	w.check(os.RemoveAll(w.here("rw/dir")))
	w.begin()
	if got := w.at(w.there("rw/a.txt")) + w.at(w.there("rw/dir/c.txt")); got != "mine"+fs.ErrNotExist.Error() || strings.Contains(before, wire.CopyBeside) {
		t.Errorf("%q, %s", got, before)
	}
	if got, want := w.tree(w.there("rw")), w.tree(w.here("rw")); got != want {
		t.Errorf("in the copy:\n%s\nin the folder:\n%s", got, want)
	}
	w.end()
}

// What a person changes between actions is in the copy when the next one begins; while one
// is under way nothing is sent into its work.
func TestSendsBetweenActions(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	w.begin()
	write(w, w.here("rw/a.txt"), "edited")
	w.begin() // a second action, beside the first
	if got := w.at(w.there("rw/a.txt")); got != "content of a.txt" {
		t.Errorf("%q", got)
	}
	w.end()
	w.end()
	w.check(os.RemoveAll(w.here("rw/dir")))
	w.begin()
	if got := w.at(w.there("rw/a.txt")) + w.at(w.there("rw/dir/c.txt")); got != "edited"+fs.ErrNotExist.Error() {
		t.Errorf("%q", got)
	}
	w.end()
}

// A folder that is added later is sent, and one that is removed goes from the place.
func TestFoldersComeAndGo(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	w.begin()
	w.end()
	write(w, w.here("later/f"), "later")
	_, err := w.set.Add(share.Folder{ID: "later", Path: w.here("later"), ReadOnly: true}, nil)
	w.check(err)
	w.set.Remove("rw")
	w.begin()
	if got := w.at(w.there("later/f")) + w.at(w.there("rw/a.txt")); got != "later"+fs.ErrNotExist.Error() {
		t.Errorf("%q", got)
	}
	w.end()
	if got := w.at(w.here("rw/a.txt")); got != "content of a.txt" {
		t.Errorf("%q", got)
	}
}

// With a review nothing of the folder changes before a person applies it.
func TestReview(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	write(w, w.here("reviewed/a.txt"), "old")
	l, err := review.Open(filepath.Join(w.base, "review"), w.here("reviewed"), review.Options{Folder: "reviewed"})
	w.check(err)
	_, err = w.set.AddStore(share.Folder{ID: "reviewed", Path: w.here("reviewed")}, l.Store())
	w.check(err)
	w.begin()
	write(w, w.there("reviewed/a.txt"), "new")
	w.end()
	if got := w.at(w.here("reviewed/a.txt")); got != "old" {
		t.Errorf("%q before", got)
	}
	if _, err := l.Apply(t.Context(), w.j, nil, review.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := w.at(w.here("reviewed/a.txt")); got != "new" {
		t.Errorf("%q after", got)
	}
}

// What the guard refuses is an error of the action, and the copy gets the folder's state.
func TestRefused(t *testing.T) {
	g := guard.New(guard.Policy{Rules: []guard.Rule{{Name: "any", Effects: guard.Delete | guard.Move, Globs: []string{"**"}}}}, guard.Options{})
	t.Cleanup(g.Close)
	w := newWorld(t, Options{}, g)
	before := w.tree(w.here("rw"))
	w.begin()
	w.check(errors.Join(os.Remove(w.there("rw/a.txt")), os.RemoveAll(w.there("rw/empty")), os.Rename(w.there("rw/dir"), w.there("rw/other"))))
	err := w.c.End(t.Context(), w.run)
	if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); !is || !slices.Contains(unsaved.Paths, "rw/a.txt") || unsaved.Runtime != "test" {
		t.Fatalf("%v", err)
	}
	if got := w.tree(w.here("rw")); got != before {
		t.Errorf("changed:\n%s", got)
	}
	w.begin() // nothing is gone from the copy any more; what is new in it stays
	w.check(os.RemoveAll(w.there("rw/other")))
	if got := w.tree(w.there("rw")); got != before {
		t.Errorf("the copy has:\n%s", got)
	}
	w.end()
}

// limitFiles has no file of this process become longer, as on a full disk, until the
// function that it returns is called.
func limitFiles(w *world, size uint64) (end func()) {
	w.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	w.check(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	w.check(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}))
	end = func() { w.check(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)) }
	w.Cleanup(end)
	return end
}

// Where a disk has no room for what a task made of a file, the folder has the old content,
// whole, and of a new file nothing.
func TestFullDisk(t *testing.T) {
	const child = "PIWORK_TEST_FULL_DISK"
	if os.Getenv(child) == "" { // the limit is that of a process of its own
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	w := newWorld(t, Options{}, nil)
	w.check(errors.Join(os.Link(w.here("rw/b.txt"), w.here("rw/z")), os.Chmod(w.here("rw/a.txt"), 0o640)))
	before := w.tree(w.here("rw"))
	w.begin()
	large := strings.Repeat("larger\n", 15_000) // not too large for the memory
	write(w, w.there("rw/a.txt"), large)
	write(w, w.there("rw/b.txt"), large)
	write(w, w.there("rw/new"), large)
	free := limitFiles(w, 64<<10)
	err := w.c.End(t.Context(), w.run)
	free()
	if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); !is || !slices.Equal(unsaved.Paths, []string{"rw/a.txt", "rw/b.txt", "rw/new"}) {
		t.Errorf("%v", err)
	}
	if got := w.tree(w.here("rw")); got != before {
		t.Errorf("in the folder:\n%s\nbefore:\n%s", got, before)
	}
	if got := w.at(w.there("rw/a.txt")); got != large {
		t.Errorf("the copy has %d bytes", len(got))
	}
	if list, err := w.j.Changes(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("the journal has %+v, %v", list, err)
	}
	w.begin() // the copy gets what the folder has, and works on
	if got := w.at(w.there("rw/a.txt")); got != "content of a.txt" {
		t.Errorf("the copy has %q", got)
	}
	write(w, w.there("rw/b.txt"), large)
	w.end()
	if got := w.at(w.here("rw/b.txt")) + w.at(w.here("rw/z")); got != large+large {
		t.Errorf("with room, the two names have %d bytes", len(got))
	}
}

// A file of a folder that is torn, because writing it ended halfway, never takes the place of
// the whole one in the copy: that is written again at the next End.
func TestTornFile(t *testing.T) {
	large := strings.Repeat("larger\n", 15_000)
	g := guard.New(guard.Policy{Changes: guard.Limit{Free: 1}, Writes: int64(len(large)) - 1}, guard.Options{}) // all but a byte
	t.Cleanup(g.Close)
	w := newWorld(t, Options{}, g)
	w.begin()
	write(w, w.there("rw/a.txt"), large)
	var unsaved *vmhost.UnsavedError
	if err := w.c.End(t.Context(), w.run); !errors.As(err, &unsaved) || !slices.Equal(unsaved.Paths, []string{"rw/a.txt"}) {
		t.Fatalf("%v", err)
	}
	torn := w.at(w.here("rw/a.txt"))
	if torn == large || torn == "content of a.txt" {
		t.Fatalf("not torn: %d bytes", len(torn))
	}
	w.begin()
	if got := w.at(w.there("rw/a.txt")); got != large {
		t.Errorf("the copy has %d bytes, the torn file %d", len(got), len(torn))
	}
	if err := w.c.End(t.Context(), w.run); !errors.As(err, &unsaved) { // it is not forgotten
		t.Errorf("%v", err)
	}
	w.set.Remove("rw")
	if _, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil {
		t.Error(err)
	}
	if got := w.at(w.here("rw/a.txt")); got != "content of a.txt" {
		t.Errorf("after undo: %.40q", got)
	}
}

// A content that nobody allows is not in the folder, and the copy gets the old one.
func TestRefusedContent(t *testing.T) {
	g := guard.New(guard.Policy{}, guard.Options{})
	t.Cleanup(g.Close)
	w := newWorld(t, Options{}, g)
	before := w.tree(w.here("rw"))
	w.begin()
	write(w, w.there("rw/a.txt"), strings.Repeat("larger", 10))
	var unsaved *vmhost.UnsavedError
	if err := w.c.End(t.Context(), w.run); !errors.As(err, &unsaved) || !slices.Equal(unsaved.Paths, []string{"rw/a.txt"}) {
		t.Errorf("%v", err)
	}
	if got := w.tree(w.here("rw")); got != before {
		t.Errorf("changed:\n%s", got)
	}
	w.begin()
	if got := w.at(w.there("rw/a.txt")); got != "content of a.txt" {
		t.Errorf("the copy has %q", got)
	}
	w.end()
}

// A folder that is too large is not sent, and what is too large is not fetched.
func TestTooLarge(t *testing.T) {
	for name, o := range map[string]Options{"files": {Files: 20}, "bytes": {Bytes: 200}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, o, nil)
			var large *vmhost.TooLargeError
			if err := w.c.Begin(t.Context(), w.run); !errors.As(err, &large) || len(w.verbs) > 0 {
				t.Errorf("%v %v", err, w.verbs)
			}
		})
	}
	w := newWorld(t, Options{Bytes: 1 << 20}, nil)
	before := w.tree(w.here("rw"))
	w.begin()
	w.check(errors.Join(os.Remove(w.there("rw/a.txt")), os.WriteFile(w.there("rw/bomb"), nil, 0o644), os.Truncate(w.there("rw/bomb"), 1<<40)))
	var large *vmhost.TooLargeError
	if err := w.c.End(t.Context(), w.run); !errors.As(err, &large) || w.tree(w.here("rw")) != before {
		t.Errorf("%v", err)
	}
}

// What a program does to a file between the last list and its content: one that was removed is
// missed by nobody, and one that is something else now, or can't be reached, is named.
func TestFileThatIsNoneAtLast(t *testing.T) {
	for name, x := range map[string]struct {
		do   func(dir string) error // with dir/c.txt
		lost bool
	}{
		"removed":               {func(d string) error { return os.Remove(d + "/c.txt") }, false},
		"removed with all":      {os.RemoveAll, false},
		"no directory any more": {func(d string) error { return errors.Join(os.RemoveAll(d), os.WriteFile(d, nil, 0o600)) }, false},
		"a directory":           {func(d string) error { return errors.Join(os.Remove(d+"/c.txt"), os.Mkdir(d+"/c.txt", 0o755)) }, true},
		"a link":                {func(d string) error { return errors.Join(os.Remove(d+"/c.txt"), os.Symlink("x", d+"/c.txt")) }, true},
		"out of the copy":       {func(d string) error { return errors.Join(os.RemoveAll(d), os.Symlink("/", d)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, nil)
			w.begin()
			write(w, w.there("rw/dir/c.txt"), "the task's")
			err := w.c.Fetch(t.Context(), func(ctx context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
				if argv[2] == wire.CopyGet {
					w.check(x.do(w.there("rw/dir")))
				}
				return w.run(ctx, argv, in, out)
			})
			unsaved, is := errors.AsType[*vmhost.UnsavedError](err)
			if is != x.lost || is && !slices.Contains(unsaved.Paths, "rw/dir/c.txt") || !is && err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}
