//go:build long

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/internal/realfs"
)

// step does one thing twice: as a task under a journal, and as any program without one.
type step struct {
	name string
	task func(w *world) error
	raw  func(dir string) error
}

func inDir(f func(p ...string) error, names ...string) func(string) error {
	return func(dir string) error {
		var paths []string
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return f(paths...)
	}
}

func creates(name string) step {
	return step{"create " + name, func(w *world) error { return w.create(name, "task") },
		func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
			if err != nil {
				return err
			}
			_, err = f.WriteString("task")
			return errors.Join(err, f.Close())
		}}
}

func renames(a, b string) step {
	return step{"rename " + a + " to " + b, func(w *world) error { return w.rename(a, b) },
		inDir(func(p ...string) error { return unix.Rename(p[0], p[1]) }, a, b)}
}

func writes(name, data string, off int64) step {
	return step{fmt.Sprintf("write %s at %d", name, off), func(w *world) error { return w.write(name, data, off) },
		func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			if off < 0 {
				if err := f.Truncate(0); err != nil {
					return errors.Join(err, f.Close())
				}
			}
			_, err = f.WriteAt([]byte(data), max(off, 0))
			return errors.Join(err, f.Close())
		}}
}

func truncates(name string, size int64) step {
	return step{fmt.Sprintf("truncate %s to %d", name, size), func(w *world) error { return w.truncate(name, size) },
		inDir(func(p ...string) error { return os.Truncate(p[0], size) }, name)}
}

func removes(name string) step {
	return step{"remove " + name, func(w *world) error { return w.remove(name) }, inDir(func(p ...string) error { return os.Remove(p[0]) }, name)}
}

// history is what a task may do in a folder.
var history = slices.Concat([]step{
	creates("new"), creates("Ä brief.txt"), creates("a:b"), creates("aux"), creates("q?"), creates("end."),
	creates("back\\slash"), creates(strings.Repeat("n", 255)), creates(strings.Repeat("ä", 127)), creates("bad\xff"),
	writes("over", "task", -1), writes("patch", "TASK", 3), writes("log", "more", 14), writes("big", "TASK", 3<<20),
	truncates("short", 4), truncates("grown", 100_000), truncates("large", 1<<20), truncates("large", 3<<20),
	removes("gone"), removes("photos/1"), removes("photos/2"), removes("gone big"),
	renames("moved", "photos/moved"), renames("victor", "victim"), renames("case", "CASE"), renames("dir", "Dir"), renames("Dir/x", "Dir/X"),
	{"mkdir", func(w *world) error { return w.mkdir("made") }, inDir(func(p ...string) error { return os.Mkdir(p[0], 0o755) }, "made")},
	creates("made/in it"),
	{"remove a tree", func(w *world) error { return w.rmrf("tree") }, inDir(func(p ...string) error { return os.RemoveAll(p[0]) }, "tree")},
	{"chmod", func(w *world) error { return w.chmod("mode", 0o600) }, inDir(func(p ...string) error { return os.Chmod(p[0], 0o600) }, "mode")},
	{"times", func(w *world) error { return w.chtimes("times", time.Unix(1e9+1, 5e8)) },
		inDir(func(p ...string) error { return os.Chtimes(p[0], time.Time{}, time.Unix(1e9+1, 5e8)) }, "times")},
	{"symlink", func(w *world) error { return w.symlink("over", "link") }, inDir(func(p ...string) error { return os.Symlink("over", p[0]) }, "link")},
	{"hard link", func(w *world) error { return w.link("linked", "second") }, inDir(func(p ...string) error { return os.Link(p[0], p[1]) }, "linked", "second")},
	{"xattr", func(w *world) error { return w.setxattr("attr", "user.x", "y") },
		inDir(func(p ...string) error { return unix.Setxattr(p[0], "user.x", []byte("y"), 0) }, "attr")},
	{"write and rename while open", func(w *world) error {
		f, _, err := w.f.Open("open", true)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := w.rename("open", "opened"); err != nil {
			return err
		}
		_, err = f.WriteAt([]byte("after"), 0)
		return err
	}, func(dir string) error {
		f, err := os.OpenFile(filepath.Join(dir, "open"), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := os.Rename(filepath.Join(dir, "open"), filepath.Join(dir, "opened")); err != nil {
			return err
		}
		_, err = f.WriteAt([]byte("after"), 0)
		return err
	}},
})

// seeded puts into a folder what a task works with. The client of SMB has a file open for a second
// longer than anybody else, and until then a time that was set stays what it is, whatever is written:
// what a task does to it in that second is a conflict.
func seeded(w *world) {
	w.seed("over", "patch", "log", "short", "grown", "gone", "photos/1", "photos/2", "photos/3", "moved", "victor", "victim", "case",
		"dir/x", "dir/y", "tree/1", "tree/sub/2", "mode", "times", "linked", "attr", "open", "kept")
	for _, n := range []string{"big", "large", "gone big"} {
		w.check(os.WriteFile(filepath.Join(w.dir, n), bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16), 0o644))
	}
	w.age()
	if slices.Contains(strings.Split(w.t.Name(), "/"), "smb") {
		time.Sleep(2 * time.Second)
	}
}

// On every file system that people have, what a task does is what any program does there, or
// as clean an error; undo brings names, content and times back, and redo and undo again do, also
// when the disk was plugged in again meanwhile.
func TestDisks(t *testing.T) {
	realfs.Each(t, func(t *testing.T, d *realfs.Disk) {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprint("plugged in again ", again), func(t *testing.T) {
				w := onDisk(t, d, fmt.Sprint("folder ", again))
				twin := &world{t: t, dir: w.dir + " twin", oldtime: w.oldtime}
				w.check(os.Mkdir(twin.dir, 0o755))
				seeded(w)
				seeded(twin)
				d.Lower()
				w.start()
				w.mark()
				for _, s := range history {
					if d.Name == "smb" && notOverSMB.MatchString(s.name) {
						continue
					}
					task, raw := s.task(w), s.raw(twin.dir)
					if (task == nil) != (raw == nil) {
						t.Errorf("%s: %v, without a journal %v", s.name, task, raw)
					} else if task != nil {
						t.Logf("%s is refused: %v", s.name, task)
					}
				}
				if d := diff(sansTimes(twin.tree()), sansTimes(w.tree())); d != "" {
					t.Errorf("not what any program leaves:\n%s", d)
				}
				d.Forget()
				replug := func() {
					if !again {
						d.Forget()
					} else {
						w.stop()
						d.Unplug()
						d.Plug("")
						w.restart()
					}
				}
				left, was := sansLinkTimes(w.tree()), inode(w.dir)
				replug()
				if inode(w.dir) != was {
					refusesOther(t, w)
					return
				}
				for round := range 2 {
					r := w.undo()
					if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
						t.Fatalf("round %d, undo: %+v\n%s", round, r.Conflicts, d)
					}
					if round == 1 {
						break
					}
					replug()
					redone, err := w.j.Redo(t.Context(), nil)
					w.check(err)
					if d := diff(left, sansLinkTimes(w.tree())); d != "" || len(redone.Conflicts) > 0 {
						t.Errorf("redo: %+v\n%s", redone.Conflicts, d)
					}
					replug()
				}
				w.stop()
			})
		}
	})
}

// notOverSMB is what Samba and the kernel's client say to have done and did in another way: names
// of devices are listed by another name, and of a rename to another spelling TestRespellOverSMB has more.
var notOverSMB = regexp.MustCompile(`^(create aux$|rename (case|dir|Dir/x) )`)

// Where the client of an SMB server remembers both spellings of a name, it does nothing for a rename
// from one to the other, and says that it did. Then that is an error, and the name is what it was.
func TestRespellOverSMB(t *testing.T) {
	realfs.On(t, "smb", func(t *testing.T, d *realfs.Disk) {
		w := onDisk(t, d, "folder")
		w.seed("known", "fresh", "dir/x")
		w.start()
		w.mark()
		for from, to := range map[string]string{"known": "KNOWN", "fresh": "Fresh", "dir": "Dir"} {
			if from == "known" {
				_, err := os.Lstat(filepath.Join(w.dir, to))
				w.check(err)
			}
			err, is := w.rename(from, to), from
			if err == nil {
				is = to
			}
			names, lerr := os.ReadDir(w.dir)
			w.check(lerr)
			if !slices.ContainsFunc(names, func(e os.DirEntry) bool { return e.Name() == is }) {
				t.Errorf("%s to %s: %v, and there is %v", from, to, err, names)
			}
		}
		r, err := w.j.Undo(t.Context(), nil, UndoOptions{})
		w.check(err)
		names, err := os.ReadDir(w.dir)
		w.check(err)
		for _, c := range r.Undone {
			if !slices.ContainsFunc(names, func(e os.DirEntry) bool { return e.Name() == c.From }) {
				t.Errorf("undone is %s to %s, and there is %v", c.From, c.Path, names)
			}
		}
		w.stop()
	})
}

// refusesOther sees that undo leaves a folder alone that has another number than before: nobody
// can tell it from the same folder of another disk.
func refusesOther(t *testing.T, w *world) {
	t.Helper()
	left := w.tree()
	r := w.undo()
	if d := diff(left, w.tree()); d != "" || len(r.Undone) > 0 || len(r.Conflicts) == 0 {
		t.Errorf("in a folder that may be another: %+v\n%s", r, d)
	}
	w.stop()
}

// inode is the number of a file.
func inode(name string) uint64 {
	var st unix.Stat_t
	if unix.Stat(name, &st) != nil {
		return 0
	}
	return st.Ino
}

func sansTimes(tree string) string { return timesOfAll.ReplaceAllString(tree, " $1") }

var timesOfAll = regexp.MustCompile(` ((?:dir|file|symlink) \d+) \S+`)

// A disk that is full in the middle of a write and of an undo: a clear error, and nothing lost.
func TestFullDisks(t *testing.T) {
	realfs.Each(t, func(t *testing.T, d *realfs.Disk) {
		if d.Name == "sshfs" {
			t.Skip("it has the room of the computer")
		}
		w := onDisk(t, d, "folder")
		seeded(w)
		d.Lower()
		w.start()
		w.mark()
		w.check(w.write("over", "task", -1))
		w.check(w.write("big", "TASK", 3<<20))
		w.check(w.remove("gone big"))
		f, _, err := w.f.Create("filling", 0o644)
		w.check(err)
		for off := int64(0); err == nil; off += 1 << 20 {
			_, err = f.WriteAt(bytes.Repeat([]byte("x"), 1<<20), off)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("a full disk: %v", err)
		}
		w.check(f.Close())
		full(t, d, w)
	})
}

// full undoes what left a disk full while a person keeps it so, and then with room.
func full(t *testing.T, d *realfs.Disk, w *world) {
	ballast := filepath.Join(filepath.Dir(w.dir), "ballast")
	fill := func() {
		f, err := os.Create(ballast)
		for err == nil {
			_, err = f.Write(bytes.Repeat([]byte("x"), 64<<10))
		}
		_ = f.Close()
	}
	w.check(w.remove("filling"))
	w.check(w.create("small", "task"))
	fill()
	r, err := w.j.Undo(t.Context(), nil, UndoOptions{})
	t.Logf("undo of a full %s: %d undone, %v, %+v", d.Name, len(r.Undone), err, r.Conflicts)
	for _, c := range r.Conflicts {
		if c.Reason != ReasonIO {
			t.Errorf("a full disk: %+v", c)
		}
	}
	w.check(os.Remove(ballast))
	if r, err = w.j.Undo(t.Context(), nil, UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("with room: %v %+v", err, r.Conflicts)
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Error(d)
	}
	w.stop()
}

// A quota that is used up is a full disk.
func TestQuotas(t *testing.T) {
	d := realfs.New(t, "btrfs", 0)
	w := &world{t: t, dir: filepath.Join(d.Dir, "own", "folder"), jdir: filepath.Join(t.TempDir(), "journal"), oldtime: time.Date(2020, 5, 6, 7, 8, 10, 0, time.UTC)}
	d.Must("btrfs", "-q", "subvolume", "create", filepath.Join(d.Dir, "own"))
	d.Must("btrfs", "quota", "enable", d.Dir)
	d.Must("btrfs", "qgroup", "limit", "32M", filepath.Join(d.Dir, "own"))
	w.check(os.Mkdir(w.dir, 0o755))
	seeded(w)
	w.start()
	w.mark()
	w.check(w.write("over", "task", -1))
	w.check(w.remove("gone big"))
	f, _, err := w.f.Create("filling", 0o644)
	w.check(err)
	for off := int64(0); err == nil; off += 1 << 20 {
		if _, err = f.WriteAt(bytes.Repeat([]byte("x"), 1<<20), off); err == nil {
			err = f.Sync()
		}
	}
	if !errors.Is(err, syscall.EDQUOT) {
		t.Errorf("a quota: %v", err)
	}
	w.check(f.Close())
	full(t, d, w)
}

// A disk that is mounted read-only, or pulled out in the middle of work: that is an error, and
// when it is back undo brings everything back.
func TestPulledDisks(t *testing.T) {
	realfs.Each(t, func(t *testing.T, d *realfs.Disk) {
		w := onDisk(t, d, "folder")
		seeded(w)
		d.Lower()
		w.start()
		w.mark()
		work := func() error {
			return errors.Join(w.write("over", "task", -1), w.write("big", "TASK", 3<<20), w.remove("gone"), w.rename("moved", "photos/moved"), w.create("new", "task"))
		}
		w.check(work())
		d.Sync()
		was := inode(w.dir)
		again := func(opts string) {
			w.stop()
			d.Unplug()
			d.Plug(opts)
			w.restart()
		}
		if d.Name != "sshfs" {
			again("ro")
			if inode(w.dir) != was {
				refusesOther(t, w)
				return
			}
			left := w.tree()
			r, err := w.j.Undo(t.Context(), nil, UndoOptions{})
			if err == nil && len(r.Conflicts) == 0 || len(r.Undone) > 0 {
				t.Errorf("undo of a read-only disk: %v %+v", err, r)
			}
			for _, c := range r.Conflicts {
				if c.Reason != ReasonIO {
					t.Errorf("a read-only disk: %+v", c)
				}
			}
			if d := diff(left, w.tree()); d != "" {
				t.Error(d)
			}
			again("")
		}
		d.Pull()
		if err := w.create("when it is gone", "task"); err == nil {
			t.Error("a disk that is gone takes a file")
		}
		r, err := w.j.Undo(t.Context(), nil, UndoOptions{})
		t.Logf("undo of a %s that is gone: %d undone, %v, %d conflicts", d.Name, len(r.Undone), err, len(r.Conflicts))
		if len(r.Undone) > 0 {
			t.Errorf("%+v", r)
		}
		again("")
		if inode(w.dir) != was {
			refusesOther(t, w)
			return
		}
		if r, err = w.j.Undo(t.Context(), nil, UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
			t.Errorf("plugged in again: %v %+v", err, r.Conflicts)
		}
		if d := diff(w.before, w.tree()); d != "" {
			t.Error(d)
		}
		w.stop()
	})
}

// A disk that is pulled out at the end of an undo or a redo, before that is durable: they say so,
// and go on when it is back, from what it has.
func TestPulledBeforeDurable(t *testing.T) {
	for _, redo := range []bool{false, true} {
		t.Run(fmt.Sprint("redo ", redo), func(t *testing.T) {
			realfs.Each(t, func(t *testing.T, d *realfs.Disk) {
				w := onDisk(t, d, "folder")
				seeded(w)
				d.Lower()
				w.start()
				w.mark()
				w.check(errors.Join(w.write("over", "task", -1), w.write("big", "TASK", 3<<20), w.remove("gone"), w.rename("moved", "photos/moved"), w.create("new", "task")))
				left, was := sansLinkTimes(w.tree()), inode(w.dir)
				step, n, want := "undo-done", 1, w.before
				work := func() (Report, error) { return w.j.Undo(t.Context(), nil, UndoOptions{}) }
				if redo {
					w.undo()
					step, n, want = "step", 5, left // all are redone
					work = func() (Report, error) { return w.j.Redo(t.Context(), nil) }
				}
				d.Sync()
				w.j.rec.Hook = func(s string) {
					if s == step {
						if n--; n == 0 {
							d.Pull()
						}
					}
				}
				r, err := work()
				if err == nil || len(r.Undone)+len(r.Redone) > 0 {
					t.Errorf("pulled out: %v %+v", err, r)
				}
				w.stop()
				d.Unplug()
				d.Plug("")
				w.restart()
				if inode(w.dir) != was {
					t.Logf("%s: its folder has another number", d.Name)
					w.stop()
					return
				}
				got := w.tree()
				if redo {
					got = sansLinkTimes(got)
				}
				if d := diff(want, got); d != "" || Unfinished(w.jdir) {
					t.Errorf("plugged in again: %s", d)
				}
				w.stop()
			})
		})
	}
}
