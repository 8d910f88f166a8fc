package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every case changes a folder as a task would. The list must say so, and
// undoing all of it must give exactly the tree from before: content, mode,
// times, links, directories. Each runs with the journal on the same and on
// another file system, in the same and in a new process.
var undoCases = []struct {
	name string
	seed []string
	do   func(w *world)
	want []string
}{
	{"create", []string{"a"}, func(w *world) { w.check(w.create("new", "x")) }, []string{"create new"}},
	{"create and remove", []string{"a"}, func(w *world) {
		w.check(w.create("new", "x"))
		w.check(w.remove("new"))
	}, nil},
	{"create in a new directory", nil, func(w *world) {
		w.check(w.mkdir("d"))
		w.check(w.mkdir("d/e"))
		w.check(w.create("d/e/f", "x"))
	}, []string{"create d (dir)", "create d/e (dir)", "create d/e/f"}},
	{"overwrite", []string{"a"}, func(w *world) { w.check(w.write("a", "other", -1)) }, []string{"change a"}},
	{"write a byte", []string{"d/a"}, func(w *world) { w.check(w.write("d/a", "X", 3)) }, []string{"change d/a"}},
	{"append", []string{"a"}, func(w *world) { w.check(w.write("a", "more", 12)) }, []string{"change a"}},
	{"truncate", []string{"a"}, func(w *world) { w.check(w.truncate("a", 3)) }, []string{"change a"}},
	{"write the same", []string{"a"}, func(w *world) {
		info, err := os.Stat(filepath.Join(w.dir, "a"))
		w.check(err)
		w.check(w.write("a", "content of a", -1))
		w.check(w.chtimes("a", info.ModTime()))
	}, nil},
	{"open for writing only", []string{"a"}, func(w *world) {
		f, _, err := w.f.Open("a", true)
		w.check(err)
		w.check(f.Close())
	}, nil},
	{"chmod", []string{"a", "d/"}, func(w *world) {
		w.check(w.chmod("a", 0o600))
		w.check(w.chmod("d", 0o700))
	}, []string{"change a", "change d (dir)"}},
	{"times", []string{"a", "d/x"}, func(w *world) {
		w.check(w.chtimes("a", w.oldtime.Add(time.Minute)))
		w.check(w.chtimes("d", w.oldtime.Add(time.Minute)))
	}, []string{"change a", "change d (dir)"}},
	{"the folder itself", []string{"a"}, func(w *world) {
		w.check(w.chmod(".", 0o700))
		w.check(w.chtimes(".", w.oldtime))
	}, []string{"change . (dir)"}},
	{"remove", []string{"a", "b"}, func(w *world) { w.check(w.remove("a")) }, []string{"delete a"}},
	{"write, then remove", []string{"a"}, func(w *world) {
		w.check(w.write("a", "other", -1))
		w.check(w.remove("a"))
	}, []string{"delete a"}},
	{"chmod, then remove", []string{"a"}, func(w *world) {
		w.check(w.chmod("a", 0o400))
		w.check(w.remove("a"))
	}, []string{"delete a"}},
	{"remove a tree", []string{"d/e/f", "d/g", "d/l -> e/f"}, func(w *world) { w.check(w.rmrf("d")) },
		[]string{"delete d (dir)", "delete d/e (dir)", "delete d/e/f", "delete d/g", "delete d/l (symlink)"}},
	{"remove and make again", []string{"a"}, func(w *world) {
		w.check(w.remove("a"))
		w.check(w.create("a", "again"))
	}, []string{"change a"}},
	{"file becomes a directory", []string{"a"}, func(w *world) {
		w.check(w.remove("a"))
		w.check(w.mkdir("a"))
		w.check(w.create("a/b", "x"))
	}, []string{"create a (dir)", "delete a", "create a/b"}},
	{"directory becomes a file", []string{"d/x"}, func(w *world) {
		w.check(w.rmrf("d"))
		w.check(w.create("d", "x"))
	}, []string{"delete d (dir)", "create d", "delete d/x"}},
	{"save by rename", []string{"a"}, func(w *world) { w.check(w.save("a", "saved")) }, []string{"change a"}},
	{"save by rename twice", []string{"a"}, func(w *world) {
		w.check(w.save("a", "one"))
		w.check(w.save("a", "two"))
	}, []string{"change a"}},
	{"save with a backup", []string{"a"}, func(w *world) {
		w.check(w.rename("a", "a~"))
		w.check(w.create("a", "saved"))
	}, []string{"create a", "move a → a~"}},
	{"move", []string{"a", "d/"}, func(w *world) { w.check(w.rename("a", "d/b")) }, []string{"move a → d/b"}},
	{"move there and back", []string{"a"}, func(w *world) {
		w.check(w.rename("a", "b"))
		w.check(w.rename("b", "a"))
	}, nil},
	{"move, then write", []string{"a"}, func(w *world) {
		w.check(w.rename("a", "b"))
		w.check(w.write("b", "other", -1))
	}, []string{"move a → b"}},
	{"write, then move", []string{"a"}, func(w *world) {
		w.check(w.write("a", "other", -1))
		w.check(w.rename("a", "b"))
	}, []string{"move a → b"}},
	{"move over another", []string{"a", "b"}, func(w *world) { w.check(w.rename("a", "b")) },
		[]string{"delete b", "move a → b"}},
	{"move over another, then write", []string{"a", "b"}, func(w *world) {
		w.check(w.rename("a", "b"))
		w.check(w.write("b", "other", -1))
	}, []string{"delete b", "move a → b"}},
	{"an empty directory made anew", []string{"e/"}, func(w *world) {
		w.check(w.rmdir("e"))
		w.check(w.mkdir("e"))
		w.check(w.create("e/x", "task"))
	}, []string{"change e (dir)", "create e/x"}},
	{"move over an empty directory", []string{"d/x", "e/"}, func(w *world) { w.check(w.rename("d", "e")) },
		[]string{"delete e (dir)", "move d → e (dir)"}},
	{"swap", []string{"a", "b"}, func(w *world) {
		w.check(w.rename("a", "t"))
		w.check(w.rename("b", "a"))
		w.check(w.rename("t", "b"))
	}, []string{"move b → a", "move a → b"}},
	{"rotate", []string{"a", "b", "c"}, func(w *world) {
		w.check(w.rename("a", "t"))
		w.check(w.rename("c", "a"))
		w.check(w.rename("b", "c"))
		w.check(w.rename("t", "b"))
	}, []string{"move c → a", "move a → b", "move b → c"}},
	{"rotate directories", []string{"a/1", "b/2", "c/3"}, func(w *world) {
		w.check(w.rename("a", "t"))
		w.check(w.rename("c", "a"))
		w.check(w.rename("b", "c"))
		w.check(w.rename("t", "b"))
		w.check(w.write("a/3", "new", -1))
		w.check(w.remove("b/1"))
	}, []string{"move c → a (dir)", "change a/3", "delete a/1", "move a → b (dir)", "move b → c (dir)"}},
	{"chain", []string{"1", "2", "3", "4"}, func(w *world) {
		w.check(w.rename("4", "5"))
		w.check(w.rename("3", "4"))
		w.check(w.rename("2", "3"))
		w.check(w.rename("1", "2"))
	}, []string{"move 1 → 2", "move 2 → 3", "move 3 → 4", "move 4 → 5"}},
	{"move a directory, then write in it", []string{"d/e/f"}, func(w *world) {
		w.check(w.rename("d", "x"))
		w.check(w.write("x/e/f", "other", -1))
		w.check(w.create("x/e/g", "new"))
	}, []string{"move d → x (dir)", "change x/e/f", "create x/e/g"}},
	{"turn parent and child around", []string{"a/b/f"}, func(w *world) {
		w.check(w.rename("a/b", "b"))
		w.check(w.rename("a", "b/a"))
	}, []string{"move a/b → b (dir)", "move a → b/a (dir)"}},
	{"move into a new directory", []string{"a", "b"}, func(w *world) {
		w.check(w.mkdir("d"))
		w.check(w.rename("a", "d/a"))
		w.check(w.write("d/a", "other", -1))
	}, []string{"create d (dir)", "move a → d/a"}},
	{"move out of a directory, then remove it", []string{"d/a"}, func(w *world) {
		w.check(w.rename("d/a", "a"))
		w.check(w.rmdir("d"))
	}, []string{"move d/a → a", "delete d (dir)"}},
	{"move a directory into a new one of its name", []string{"e/f"}, func(w *world) {
		w.check(w.rename("e", "t"))
		w.check(w.mkdir("e"))
		w.check(w.mkdir("e/d"))
		w.check(w.rename("t", "e/d/t"))
		w.check(w.write("e/d/t/f", "task", -1))
	}, []string{"create e (dir)", "create e/d (dir)", "move e → e/d/t (dir)", "change e/d/t/f"}},
	{"move a file into a directory of its name", []string{"a"}, func(w *world) {
		w.check(w.rename("a", "t"))
		w.check(w.mkdir("a"))
		w.check(w.rename("t", "a/a"))
	}, []string{"create a (dir)", "move a → a/a"}},
	{"symlink", []string{"a"}, func(w *world) { w.check(w.symlink("/etc/passwd", "l")) }, []string{"create l (symlink)"}},
	{"replace a symlink", []string{"a", "l -> a"}, func(w *world) {
		w.check(w.remove("l"))
		w.check(w.symlink("elsewhere", "l"))
	}, []string{"change l (symlink)"}},
	{"symlink's own time", []string{"l -> a"}, func(w *world) {
		w.check(w.chtimes("l", w.oldtime.Add(time.Second)))
	}, []string{"change l (symlink)"}},
	{"hard link", []string{"a"}, func(w *world) { w.check(w.link("a", "b")) }, []string{"create b"}},
	{"hard link, then write through it", []string{"a"}, func(w *world) {
		w.check(w.link("a", "b"))
		w.check(w.write("b", "other", -1))
	}, []string{"change a", "create b"}},
	{"hard link, then move the first name and back", []string{"b"}, func(w *world) {
		w.check(w.link("b", "a"))
		w.check(w.rename("b", "c"))
		w.check(w.rename("c", "b"))
		w.check(w.chmod("b", 0o600))
	}, []string{"create a", "change b"}},
	{"hard link, then remove the first name", []string{"a"}, func(w *world) {
		w.check(w.link("a", "b"))
		w.check(w.remove("a"))
	}, []string{"move a → b"}},
	{"hard link and an attribute, listed, then remove the first name", []string{"a"}, func(w *world) {
		w.check(w.link("a", "h"))
		w.check(w.setxattr("a", "user.x", "task"))
		w.check(w.listed())
		w.check(w.remove("a"))
	}, []string{"move a → h"}},
	{"write to a file with two names", []string{"a", "b = a"}, func(w *world) {
		w.check(w.write("b", "other", -1))
	}, []string{"change b"}},
	{"write to and remove one of two names", []string{"a", "b = a"}, func(w *world) {
		w.check(w.write("b", "other", -1))
		w.check(w.remove("b"))
		w.check(w.chmod("a", 0o600))
	}, []string{"change a", "delete b"}},
	{"write to and remove one of two names, the other not seen", []string{"b", "d/", "d/a = b"}, func(w *world) {
		w.check(w.write("b", "other", -1))
		w.check(w.remove("b"))
	}, []string{"change d/a", "delete b"}},
	{"remove both names", []string{"a", "b = a", "c"}, func(w *world) {
		w.check(w.remove("a"))
		w.check(w.remove("b"))
	}, []string{"delete a", "delete b"}},
	{"write to, then remove both names", []string{"a", "b = a"}, func(w *world) {
		w.check(w.write("a", "other", -1))
		w.check(w.remove("b"))
		w.check(w.remove("a"))
	}, []string{"delete a", "delete b"}},
	{"large file", nil, func(w *world) {
		big := bytes.Repeat([]byte("0123456789abcdef"), 40000)
		w.check(os.WriteFile(filepath.Join(w.dir, "big"), big, 0o644))
		w.age()
		w.mark()
		w.check(w.write("big", "X", 300000))
		w.check(w.truncate("big", 400000))
	}, []string{"change big"}},
	{"large file with holes", nil, func(w *world) {
		w.check(os.WriteFile(filepath.Join(w.dir, "big"), []byte("x"), 0o644))
		w.check(os.Truncate(filepath.Join(w.dir, "big"), 10<<20))
		w.age()
		w.mark()
		w.check(w.write("big", "X", 300000))
		w.check(w.remove("big"))
	}, []string{"delete big"}},
	{"empty file", nil, func(w *world) {
		w.check(os.WriteFile(filepath.Join(w.dir, "e"), nil, 0o644))
		w.age()
		w.mark()
		w.check(w.write("e", "x", 0))
	}, []string{"change e"}},
	{"write while open and unlinked", []string{"a"}, func(w *world) {
		f, _, err := w.f.Open("a", true)
		w.check(err)
		defer f.Close()
		w.check(w.remove("a"))
		_, err = f.WriteAt([]byte("after"), 0)
		w.check(err)
	}, []string{"delete a"}},
	{"write while open and renamed", []string{"a"}, func(w *world) {
		f, _, err := w.f.Open("a", true)
		w.check(err)
		defer f.Close()
		w.check(w.rename("a", "b"))
		_, err = f.WriteAt([]byte("after"), 0)
		w.check(err)
	}, []string{"move a → b"}},
	{"read-only file and directory", []string{"d/a"}, func(w *world) {
		w.check(os.Chmod(filepath.Join(w.dir, "d/a"), 0o444))
		w.check(os.Chmod(filepath.Join(w.dir, "d"), 0o755))
		w.age()
		w.mark()
		w.check(w.remove("d/a"))
		w.check(w.chmod("d", 0o500))
	}, []string{"change d (dir)", "delete d/a"}},
	{"setuid is kept", []string{"a"}, func(w *world) {
		w.check(os.Chmod(filepath.Join(w.dir, "a"), 0o755|os.ModeSetuid))
		w.age()
		w.mark()
		w.check(w.write("a", "evil", -1))
		w.check(w.chmod("a", 0o4777))
	}, []string{"change a"}},
	{"names", []string{"Ünï.txt", "Ü.txt", "写真/旅行 (1).jpg", "it's \"it\".txt", "-rf", "line\nfeed", strings.Repeat("n", 255), " ", "\xff\xfe"},
		func(w *world) {
			w.check(w.write("Ünï.txt", "x", -1))
			w.check(w.remove("Ü.txt"))
			w.check(w.rename("写真/旅行 (1).jpg", "写真/東京.jpg"))
			w.check(w.save("it's \"it\".txt", "x"))
			w.check(w.rename("-rf", "--"))
			w.check(w.remove("line\nfeed"))
			w.check(w.chmod(strings.Repeat("n", 255), 0o600))
			w.check(w.remove(" "))
			w.check(w.write("\xff\xfe", "x", -1))
		}, nil},
}

// mark takes the tree of this moment as the one from before the task.
func (w *world) mark() { w.before = w.tree() }

func TestUndoAll(t *testing.T) {
	for _, fsName := range []string{"same", "other"} {
		for _, how := range []string{"running", "ended", "restarted"} {
			for _, c := range undoCases {
				t.Run(strings.Join([]string{fsName, how, c.name}, "/"), func(t *testing.T) {
					t.Parallel()
					jdir := ""
					if fsName == "other" {
						jdir = otherFS(t)
					}
					w := newWorld(t, jdir)
					w.seed(c.seed...)
					w.start()
					w.mark()
					c.do(w)
					switch how {
					case "ended":
						w.f.Close()
					case "restarted":
						w.restart()
					}
					want := c.want
					if how == "running" && strings.HasSuffix(c.name, "not seen") { // other names of a file are looked for when nothing changes any more
						want = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return s == "change d/a" })
					}
					if got := w.changes(); c.name != "names" && !sameSet(got, want) {
						t.Errorf("changes: %q, want %q", got, want)
					}
					if r := w.undo(); len(r.Conflicts) > 0 {
						t.Errorf("conflicts: %+v", r.Conflicts)
					}
					if d := diff(w.before, w.tree()); d != "" {
						t.Errorf("after undo:\n%s", d)
					}
					for _, s := range w.changes() {
						if !strings.HasSuffix(s, " undone") {
							t.Errorf("still listed: %s", s)
						}
					}
					left := w.tree()
					if r := w.undo(); len(r.Conflicts)+len(r.Undone) > 0 || diff(left, w.tree()) != "" {
						t.Errorf("a second undo did something: %+v", r)
					}
				})
			}
		}
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// The attributes of a file come back whose other name the journal meets when the task has
// removed the first: when it keeps files ahead, for example.
func TestUndoAttributesOfOtherName(t *testing.T) {
	w := newWorld(t, otherFS(t))
	w.seed("a", "b", "h = a")
	w.start()
	w.mark()
	w.check(w.setxattr("a", "user.x", "task"))
	w.check(w.remove("a"))
	w.check(w.create("a", "task"))
	w.check(w.truncate("b", 6))
	w.check(w.truncate("a", 18)) // the third that is waited for
	if got := w.changes(); !slices.Contains(got, "change h") {
		t.Fatalf("nothing was kept ahead: %q", got)
	}
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("conflicts: %+v", r.Conflicts)
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Errorf("after undo:\n%s", d)
	}
}

// Of what has no way back, because something of a person's has its place and stays, nothing is moved,
// nor is what would take its place. What the task made there is taken back, too.
func TestUndoMovesNothingWithoutAWayBack(t *testing.T) {
	for name, take := range map[string]func(w *world){
		"the task's": func(w *world) { w.check(w.create("a", "task")) },
		"a person's": func(w *world) { w.check(os.WriteFile(filepath.Join(w.dir, "a"), []byte("mine"), 0o644)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("a", "b", "c")
			w.mark()
			w.start()
			w.check(w.rename("b", "c"))
			w.check(w.rename("a", "b"))
			take(w)
			list, err := w.j.Changes(t.Context())
			w.check(err)
			var ids []string
			for _, c := range list {
				if c.Effect != EffectCreate {
					ids = append(ids, c.ID)
				}
			}
			left := w.tree()
			r, err := w.j.Undo(t.Context(), ids, UndoOptions{})
			w.check(err)
			if name == "the task's" {
				if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 || len(r.Undone) != 4 {
					t.Errorf("%q: %+v\n%s", ids, r, d)
				}
				return
			}
			if d := diff(left, w.tree()); d != "" || len(ids) != 3 || len(r.Conflicts) != 3 || len(r.Undone) > 0 {
				t.Errorf("%q: %+v\n%s", ids, r, d)
			}
		})
	}
}

func TestUnknownChange(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.start()
	w.check(w.write("a", "x", -1))
	if _, err := w.j.Undo(t.Context(), []string{w.id("a"), "o999"}, UndoOptions{}); !errors.Is(err, ErrUnknownChange) {
		t.Fatalf("err = %v", err)
	}
	if got := w.changes(); !slices.Equal(got, []string{"change a"}) {
		t.Fatalf("something was done: %q", got)
	}
}
