//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
)

// attr sets an extended attribute as a person does.
func (w *world) attr(rel, name, value string) {
	w.t.Helper()
	f, err := os.Open(filepath.Join(w.dir, rel))
	w.check(err)
	defer f.Close()
	err = at.FileAttrs(f).Set(name, []byte(value), 0)
	if errors.Is(err, syscall.ENOTSUP) {
		w.t.Skip("the file system of the temporary directory keeps no user attributes, as tmpfs before Linux 6.6")
	}
	w.check(err)
}

func (w *world) attrsOf(rel string) string {
	f, err := os.Open(filepath.Join(w.dir, rel))
	if err != nil {
		return "-"
	}
	defer f.Close()
	set, err := at.FileAttrs(f).All()
	w.check(err)
	var out []string
	for k, v := range set {
		out = append(out, fmt.Sprintf("%s=%.20s", k, v))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// Attributes that the task changed are in the list and come back, with the
// content or without it, of files and directories that are there or not.
func TestXattr(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			jdir := ""
			if where == "other" {
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			names := []string{"set", "removed", "changed", "written", "deleted", "untouched", "d", "gone", "same", "replaced", "open", "readonly"}
			w.seed("set", "removed", "changed", "written", "deleted", "untouched", "d/x", "gone/", "same", "replaced", "open", "readonly")
			for _, n := range names {
				w.attr(n, "user.mine", "of "+n)
			}
			w.check(os.Chmod(filepath.Join(w.dir, "readonly"), 0o444))
			w.age()
			before := map[string]string{}
			for _, n := range names {
				before[n] = w.attrsOf(n)
			}
			w.start()
			w.mark()
			w.check(w.setxattr("set", "user.task", "x"))
			w.check(w.removexattr("removed", "user.mine"))
			w.check(w.setxattr("changed", "user.mine", strings.Repeat("long", 500)))
			w.check(w.write("written", "task", -1))
			w.check(w.setxattr("written", "user.mine", "task"))
			w.check(w.remove("deleted"))
			w.check(w.setxattr("d", "user.mine", "task"))
			w.check(w.rmdir("gone"))
			w.check(w.setxattr("same", "user.mine", "other"))
			w.check(w.setxattr("same", "user.mine", "of same"))
			w.check(w.save("replaced", "task"))
			w.check(func() error {
				f, _, err := w.f.Open("open", true)
				if err != nil {
					return err
				}
				defer f.Close()
				if v, err := f.GetXattr("user.mine"); err != nil || string(v) != "of open" {
					return fmt.Errorf("%q %w", v, err)
				}
				if l, err := f.ListXattr(); err != nil || !slices.Equal(l, []string{"user.mine"}) {
					return fmt.Errorf("%q %w", l, err)
				}
				return errors.Join(f.SetXattr("user.more", nil, at.AttrCreate), f.RemoveXattr("user.mine"))
			}())
			w.check(w.setxattr("readonly", "user.mine", "task"))
			w.check(w.create("new", "x"))
			w.check(w.setxattr("new", "user.any", "x"))
			if err := w.setxattr("set", "trusted.x", ""); !errors.Is(err, at.ErrUnsupported) {
				t.Error(err)
			}
			if err := w.setxattr("set", "user.x", strings.Repeat("x", at.MaxAttrValue+1)); !errors.Is(err, syscall.E2BIG) {
				t.Error(err)
			}
			w.restart()
			want := []string{"change changed", "change d (dir)", "delete deleted", "delete gone (dir)", "create new", "change open",
				"change readonly", "change removed", "change replaced", "change set", "change written"}
			if got := w.changes(); !slices.Equal(got, want) {
				t.Errorf("%q\nwant %q", got, want)
			}
			w.check(w.rewritten())
			w.restart()
			w.attr("set", "user.task", "the person's")
			r := w.undo()
			theirs := strings.Replace(w.before, `"content of set" map["user.mine":"of set"]`, `"content of set" map["user.mine":"of set" "user.task":"the person's"]`, 1)
			if d := diff(theirs, w.tree()); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("%+v\n%s", r.Conflicts, d)
			}
			before["set"] = "user.mine=of set user.task=the person's"
			for _, n := range names {
				if got := w.attrsOf(n); got != before[n] {
					t.Errorf("%s: %q, before %q", n, got, before[n])
				}
			}
			for _, s := range w.changes() {
				if !strings.HasSuffix(s, " undone") {
					t.Errorf("still listed: %s", s)
				}
			}
		})
	}
}

// A file without a name is nobody's; with one it is a creation.
func TestTmpfile(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "d/x")
	w.start()
	w.mark()
	make := func() store.Handle {
		f, _, err := w.f.Tmpfile("d", 0o640)
		if runtime.GOOS != "linux" {
			t.Skip("open(2) has O_TMPFILE on Linux only")
		}
		w.check(err)
		_, err = f.WriteAt([]byte("without a name"), 0)
		w.check(err)
		return f
	}
	w.check(make().Close())
	if got := w.changes(); len(got) > 0 {
		t.Errorf("never had a name: %q", got)
	}
	f := make()
	for name, want := range map[string]error{"a": os.ErrExist, "d/n": nil, "m": nil} {
		_, err := w.f.LinkFile(f, name)
		if name == "a" && !errors.Is(err, want) || name != "a" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := f.WriteAt([]byte("with one      "), 0)
	w.check(err)
	w.check(f.SetMeta(at.Meta{Mode: new(uint32(0o600))}))
	w.check(f.Close())
	if got := w.changes(); !slices.Equal(got, []string{"create d/n", "create m"}) {
		t.Errorf("%q", got)
	}
	r := w.undo()
	if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
		t.Errorf("%+v\n%s", r.Conflicts, d)
	}
}

// However many attributes a task sets, at once and by name or handle: undo can read them all,
// and so put back those that were there.
func TestManyXattrsAreUndone(t *testing.T) {
	for _, size := range []int{0, 32 << 10} {
		t.Run(fmt.Sprintf("values of %d", size), func(t *testing.T) {
			w := newWorld(t, "")
			w.dir = filepath.Join(otherFS(t), "folder") // in memory attributes have more room than on most disks
			w.check(os.Mkdir(w.dir, 0o755))
			w.seed("f")
			w.attr("f", "user.mine", "of f")
			w.age()
			w.start()
			w.mark()
			h, _, err := w.f.Open("f", true)
			w.check(err)
			name := func(n int) string { return fmt.Sprintf("user.%0240d", n) }
			var work sync.WaitGroup
			for part := range 4 {
				work.Go(func() {
					for n := part * 100; n < part*100+100; n++ {
						set := h.SetXattr
						if part%2 == 0 {
							set = func(attr string, v []byte, flags int) error { return w.f.SetXattr("f", attr, v, flags) }
						}
						if err := set(name(n), make([]byte, size), 0); errors.Is(err, syscall.ENOSPC) {
							return
						} else if err != nil {
							t.Error(err)
						}
					}
				})
			}
			work.Wait()
			if err := w.setxattr("f", name(1000), strings.Repeat("x", size)); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("there is always more room: %v", err)
			}
			// What fails by itself does so, and what makes them smaller is done.
			if err := h.SetXattr("user.mine", make([]byte, size+9), at.AttrCreate); !errors.Is(err, syscall.EEXIST) {
				t.Errorf("made again: %v", err)
			}
			if err := h.SetXattr(name(1000), make([]byte, size), at.AttrReplace); !errors.Is(err, at.ErrNoAttr) {
				t.Errorf("replaced where it is not: %v", err)
			}
			if size == 0 {
				for n := range 10 { // of the person, beyond the bound
					w.attr("f", name(2000+n), "")
				}
			}
			w.check(h.SetXattr("user.mine", []byte("f"), 0))
			w.check(h.Close())
			r := w.undo()
			if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("%+v\n%s", r.Conflicts, d)
			}
		})
	}
}
