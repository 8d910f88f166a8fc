package ninep_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"
)

// names that must pass through as they are.
var oddNames = []string{
	"Überraschung.txt", "U\u0308berraschung.txt", "写真.jpg", "a b c", `"quoted" 'twice'`, "line\nfeed", "-rf", "--", "...", ".hidden",
	"tab\there", "back\\slash", "*?[x]", "trailing ", " leading", "%s%n", "\x01\x7f", "not\xff\xfeutf8", strings.Repeat("x", 255),
	strings.Repeat("ü", 127), "C:", "NUL", "aux.txt", "$(touch x)", ";rm", "~",
}

// Each operation works in a folder that may be changed, does on the host what
// it says, can be taken back, and is refused with EROFS in a read-only one.
func TestOperations(t *testing.T) {
	type op struct {
		name   string
		change bool
		do     func(d p9.File) error
		check  func(dir string) error
	}
	content := func(rel, want string) func(string) error {
		return func(dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, rel))
			if err != nil || string(b) != want {
				return fmt.Errorf("%s: %q %w", rel, b, err)
			}
			return nil
		}
	}
	missing := func(rel string) func(string) error {
		return func(dir string) error {
			if _, err := os.Lstat(filepath.Join(dir, rel)); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("%s: %v", rel, err)
			}
			return nil
		}
	}
	open := func(d p9.File, flags p9.OpenFlags, names ...string) (p9.File, error) {
		_, f, err := d.Walk(names)
		if err != nil {
			return nil, err
		}
		_, _, err = f.Open(flags)
		return f, err
	}
	stamp := time.Date(2001, 2, 3, 4, 5, 6, 789012345, time.UTC)
	for _, o := range []op{
		{"read", false, func(d p9.File) error {
			f, err := open(d, p9.ReadOnly, "file")
			if err != nil {
				return err
			}
			b := make([]byte, 100)
			n, err := f.ReadAt(b, 7)
			if !strings.HasPrefix(string(b[:n]), "of r") {
				return fmt.Errorf("%q %w", b[:n], err)
			}
			if n, err := f.ReadAt(b, 1000); n != 0 || err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("beyond the end: %d %w", n, err)
			}
			return f.Close()
		}, nil},
		{"attributes", false, func(d p9.File) error {
			_, f, err := d.Walk([]string{"file"})
			if err != nil {
				return err
			}
			_, _, a, err := f.GetAttr(p9.AttrMaskAll)
			if a.UID != 1000 || a.GID != 1000 || a.Size == 0 || !a.Mode.IsRegular() || a.MTimeSeconds == 0 {
				return fmt.Errorf("%v %w", a, err)
			}
			return err
		}, nil},
		{"statfs", false, func(d p9.File) error {
			s, err := d.StatFS()
			if s.Blocks == 0 || s.NameLength != 255 || s.Type != 0x01021997 {
				return fmt.Errorf("%+v %w", s, err)
			}
			return err
		}, nil},
		{"list", false, func(d p9.File) error {
			names, err := list(d)
			slices.Sort(names)
			if !slices.Contains(names, "file") || !slices.Contains(names, ".") || !slices.Contains(names, "..") {
				return fmt.Errorf("%q %w", names, err)
			}
			return err
		}, nil},
		{"not there", false, func(d p9.File) error {
			_, _, err := d.Walk([]string{"nothing"})
			return expect(err, linux.ENOENT)
		}, nil},
		{"write", true, func(d p9.File) error {
			f, err := open(d, p9.WriteOnly, "file")
			if err != nil {
				return err
			}
			if _, err := f.WriteAt([]byte("SECRET"), 0); err != nil {
				return err
			}
			if err := f.FSync(); err != nil {
				return err
			}
			return f.Close()
		}, content("file", "SECRET of rw/file")},
		{"write with a hole", true, func(d p9.File) error {
			f, err := open(d, p9.ReadWrite, "file")
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("end"), 5<<30)
			return errors.Join(err, f.Close())
		}, func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, "file"))
			if err != nil || info.Size() != 5<<30+3 {
				return fmt.Errorf("%v %w", info.Size(), err)
			}
			return nil
		}},
		{"open and truncate", true, func(d p9.File) error {
			f, err := open(d, p9.WriteOnly|0o1000, "file")
			if err != nil {
				return err
			}
			return f.Close()
		}, content("file", "")},
		{"truncate", true, func(d p9.File) error {
			_, f, err := d.Walk([]string{"file"})
			if err != nil {
				return err
			}
			return f.SetAttr(p9.SetAttrMask{Size: true}, p9.SetAttr{Size: 6})
		}, content("file", "secret")},
		{"create", true, func(d p9.File) error {
			f, _, _, err := d.Create("new", p9.ReadWrite, 0o600, 0, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("x"), 0)
			return errors.Join(err, f.Close())
		}, content("new", "x")},
		{"create what is there", true, func(d p9.File) error {
			f, _, _, err := d.Create("file", p9.ReadWrite, 0o600, 0, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("SECRET"), 0)
			return errors.Join(err, f.Close())
		}, content("file", "SECRET of rw/file")},
		{"create exclusively", true, func(d p9.File) error {
			_, _, _, err := d.Create("file", p9.ReadWrite|0o200, 0o600, 0, 0)
			return expect(err, linux.EEXIST)
		}, content("file", "secret of rw/file")},
		{"mkdir", true, func(d p9.File) error { _, err := d.Mkdir("new", 0o755, 0, 0); return err }, func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, "new"))
			if err != nil || !info.IsDir() {
				return fmt.Errorf("%v %w", info, err)
			}
			return nil
		}},
		{"symlink", true, func(d p9.File) error {
			if _, err := d.Symlink("../../any where", "l", 0, 0); err != nil {
				return err
			}
			_, f, err := d.Walk([]string{"l"})
			if err != nil {
				return err
			}
			target, err := f.Readlink()
			if target != "../../any where" {
				return fmt.Errorf("%q %w", target, err)
			}
			return err
		}, nil},
		{"hard link", true, func(d p9.File) error {
			_, f, err := d.Walk([]string{"file"})
			if err != nil {
				return err
			}
			return d.Link(f, "second")
		}, content("second", "secret of rw/file")},
		{"mknod of a file", true, func(d p9.File) error {
			_, err := d.Mknod("plain", p9.ModeRegular|0o644, 0, 0, 0, 0)
			return err
		}, content("plain", "")},
		{"mknod of a FIFO", true, func(d p9.File) error {
			_, err := d.Mknod("fifo", p9.ModeNamedPipe|0o644, 0, 0, 0, 0)
			return expect(err, linux.EPERM)
		}, missing("fifo")},
		{"rename", true, func(d p9.File) error {
			_, sub, err := d.Walk([]string{"dir"})
			if err != nil {
				return err
			}
			return d.RenameAt("file", sub, "moved")
		}, content("dir/moved", "secret of rw/file")},
		{"rename over", true, func(d p9.File) error {
			_, sub, err := d.Walk([]string{"dir"})
			if err != nil {
				return err
			}
			return d.RenameAt("file", sub, "file")
		}, content("dir/file", "secret of rw/file")},
		{"rename a directory over a full one", true, func(d p9.File) error {
			if _, err := d.Mkdir("empty", 0o755, 0, 0); err != nil {
				return err
			}
			return expect(d.RenameAt("empty", d, "dir"), linux.ENOTEMPTY, linux.EEXIST)
		}, content("dir/file", "secret of rw/dir/file")},
		{"unlink", true, func(d p9.File) error { return d.UnlinkAt("file", 0) }, missing("file")},
		{"unlink a directory", true, func(d p9.File) error { return expect(d.UnlinkAt("dir", 0), linux.EISDIR) }, nil},
		{"rmdir", true, func(d p9.File) error {
			_, sub, err := d.Walk([]string{"dir"})
			if err != nil {
				return err
			}
			return sub.UnlinkAt("sub", 0x200)
		}, missing("dir/sub")},
		{"rmdir of a full directory", true, func(d p9.File) error { return expect(d.UnlinkAt("dir", 0x200), linux.ENOTEMPTY) }, nil},
		{"rmdir of a file", true, func(d p9.File) error { return expect(d.UnlinkAt("file", 0x200), linux.ENOTDIR) }, nil},
		{"unlink of nothing", true, func(d p9.File) error { return expect(d.UnlinkAt("nothing", 0), linux.ENOENT) }, nil},
		{"chmod", true, func(d p9.File) error {
			_, f, err := d.Walk([]string{"file"})
			if err != nil {
				return err
			}
			return f.SetAttr(p9.SetAttrMask{Permissions: true}, p9.SetAttr{Permissions: 0o4711})
		}, func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, "file"))
			if err != nil || info.Mode() != 0o711 {
				return fmt.Errorf("%v %w", info.Mode(), err)
			}
			return nil
		}},
		{"times", true, func(d p9.File) error {
			_, f, err := d.Walk([]string{"file"})
			if err != nil {
				return err
			}
			return f.SetAttr(p9.SetAttrMask{MTime: true, MTimeNotSystemTime: true},
				p9.SetAttr{MTimeSeconds: uint64(stamp.Unix()), MTimeNanoSeconds: uint64(stamp.Nanosecond())})
		}, func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, "file"))
			if err != nil || !info.ModTime().Equal(stamp) {
				return fmt.Errorf("%v %w", info.ModTime(), err)
			}
			return nil
		}},
		{"chown is accepted and does nothing", false, func(d p9.File) error {
			_, f, err := d.Walk([]string{"file"})
			if err != nil {
				return err
			}
			err = f.SetAttr(p9.SetAttrMask{UID: true, GID: true}, p9.SetAttr{UID: 7, GID: 7})
			if isErrno(err, linux.EROFS) {
				return nil
			}
			return err
		}, nil},
		{"read, write and rename while unlinked and open", true, func(d p9.File) error {
			f, err := open(d, p9.ReadWrite, "file")
			if err != nil {
				return err
			}
			defer f.Close()
			if err := d.UnlinkAt("file", 0); err != nil {
				return err
			}
			if _, err := f.WriteAt([]byte("gone"), 0); err != nil {
				return err
			}
			b := make([]byte, 4)
			if _, err := f.ReadAt(b, 0); err != nil || string(b) != "gone" {
				return fmt.Errorf("%q %w", b, err)
			}
			_, _, a, err := f.GetAttr(p9.AttrMaskAll)
			if a.NLink > 1 {
				return fmt.Errorf("%d links", a.NLink)
			}
			return err
		}, missing("file")},
		{"write while renamed and open", true, func(d p9.File) error {
			f, err := open(d, p9.ReadWrite, "dir", "file")
			if err != nil {
				return err
			}
			defer f.Close()
			if err := d.RenameAt("dir", d, "moved"); err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("SECRET"), 0)
			return err
		}, content("moved/file", "SECRET of rw/dir/file")},
		{"names", true, func(d p9.File) error {
			for _, n := range oddNames {
				_, f, err := d.Walk(nil)
				if err != nil {
					return err
				}
				_, _, _, err = f.Create(n, p9.ReadWrite|0o200, 0o644, 0, 0)
				if err != nil {
					return fmt.Errorf("%q: %w", n, err)
				}
				_, err = f.WriteAt([]byte(n), 0)
				if err := errors.Join(err, f.Close()); err != nil {
					return fmt.Errorf("%q: %w", n, err)
				}
			}
			got, err := list(d)
			for _, n := range oddNames {
				if !slices.Contains(got, n) {
					return fmt.Errorf("%q is not listed: %w", n, err)
				}
			}
			return err
		}, func(dir string) error {
			for _, n := range oddNames {
				if b, err := os.ReadFile(filepath.Join(dir, n)); err != nil || string(b) != n {
					return fmt.Errorf("%q: %q %w", n, b, err)
				}
			}
			return nil
		}},
	} {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			root := h.mount()
			before := h.tree("rw")
			if err := o.do(walk(t, root, "rw")); err != nil {
				t.Fatal(err)
			}
			if o.check != nil {
				if err := o.check(h.path("rw")); err != nil {
					t.Error(err)
				}
			}
			if r, err := h.j.Undo(t.Context(), nil); err != nil || len(r.Conflicts) > 0 {
				t.Errorf("undo: %+v %v", r, err)
			}
			if after := h.tree("rw"); after != before {
				t.Errorf("after undo:\n%s\nwant:\n%s", after, before)
			}
			ro := h.tree("ro")
			err := o.do(walk(t, root, "ro"))
			if o.change && !isErrno(err, linux.EROFS) || !o.change && err != nil {
				t.Errorf("in a read-only folder: %v", err)
			}
			if got := h.tree("ro"); got != ro {
				t.Errorf("read-only folder changed:\n%s\nwas:\n%s", got, ro)
			}
		})
	}
}

func expect(err error, want ...linux.Errno) error {
	if isErrno(err, want...) {
		return nil
	}
	if isErrno(err, linux.EROFS) {
		return err
	}
	return fmt.Errorf("got %v, want %v", err, want)
}

func list(d p9.File) ([]string, error) {
	_, f, err := d.Walk(nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, _, err := f.Open(p9.ReadOnly); err != nil {
		return nil, err
	}
	var names []string
	for off := uint64(0); ; {
		part, err := f.Readdir(off, 1000)
		if err != nil || len(part) == 0 {
			return names, err
		}
		for _, e := range part {
			names = append(names, e.Name)
			off = e.Offset
		}
	}
}

// The virtual root lists the folders, follows them, and nothing can be done to
// it.
func TestVirtualRoot(t *testing.T) {
	h := newHost(t)
	root := h.mount()
	names, err := list(root)
	if err != nil || !slices.Equal(names, []string{".", "..", "ro", "rw"}) {
		t.Fatalf("%q %v", names, err)
	}
	rw := walk(t, root, "rw")
	for name, err := range map[string]error{
		"mkdir":   func() error { _, err := root.Mkdir("x", 0o755, 0, 0); return err }(),
		"create":  func() error { _, _, _, err := walk(t, root).Create("x", p9.ReadWrite, 0o644, 0, 0); return err }(),
		"symlink": func() error { _, err := root.Symlink("x", "y", 0, 0); return err }(),
		"unlink":  root.UnlinkAt("rw", 0x200),
		"rename":  root.RenameAt("rw", root, "x"),
		"chmod":   root.SetAttr(p9.SetAttrMask{Permissions: true}, p9.SetAttr{}),
		"link":    root.Link(walk(t, rw, "file"), "x"),
	} {
		if !isErrno(err, linux.EROFS) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := rw.RenameAt("file", root, "x"); !isErrno(err, linux.EXDEV) {
		t.Errorf("rename out of a folder: %v", err)
	}
	third := t.TempDir()
	f, err := h.set.Add(shareFolder("3", third, "rw"), nil)
	if err != nil || f.Name != "rw (2)" {
		t.Fatalf("%+v %v", f, err)
	}
	if names, _ := list(root); !slices.Contains(names, "rw (2)") {
		t.Errorf("an added folder: %q", names)
	}
	open := walk(t, rw, "file")
	if _, _, err := open.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	h.set.Remove("1")
	if _, err := open.ReadAt(make([]byte, 10), 0); !isErrno(err, linux.ESTALE) {
		t.Errorf("reading in a removed folder: %v", err)
	}
	if _, _, err := rw.Walk([]string{"file"}); !isErrno(err, linux.ESTALE) {
		t.Errorf("walking in a removed folder: %v", err)
	}
	if _, _, err := root.Walk([]string{"rw"}); !isErrno(err, linux.ENOENT) {
		t.Errorf("walking to a removed folder: %v", err)
	}
}

// A person edits while the guest looks: it sees that at once.
func TestHostEdits(t *testing.T) {
	h := newHost(t)
	rw := walk(t, h.mount(), "rw")
	f := walk(t, rw, "file")
	if _, _, err := f.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	h.check(os.WriteFile(h.path("rw/file"), []byte("new content"), 0o644))
	b := make([]byte, 100)
	n, err := f.ReadAt(b, 0)
	if string(b[:n]) != "new content" {
		t.Errorf("%q %v", b[:n], err)
	}
	_, _, a, err := f.GetAttr(p9.AttrMaskAll)
	if a.Size != 11 {
		t.Errorf("size %d %v", a.Size, err)
	}
	h.check(os.Remove(h.path("rw/file")))
	if _, _, err := rw.Walk([]string{"file"}); !isErrno(err, linux.ENOENT) {
		t.Errorf("walk: %v", err)
	}
}

// Large directories come whole, while entries are removed.
func TestLargeDirectory(t *testing.T) {
	h := newHost(t)
	const n = 3000
	for i := range n {
		h.check(os.WriteFile(h.path(fmt.Sprintf("rw/dir/f%d", i)), nil, 0o644))
	}
	d := walk(t, h.mount(), "rw", "dir")
	names, err := list(d)
	if err != nil || len(names) != n+4 { // . .. file sub
		t.Fatalf("%d names, %v", len(names), err)
	}
	r := walk(t, d)
	if _, _, err := r.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	gone := 0
	for off := uint64(0); ; {
		part, err := r.Readdir(off, 4096)
		h.check(err)
		if len(part) == 0 {
			break
		}
		for _, e := range part {
			off = e.Offset
			if strings.HasPrefix(e.Name, "f") && e.Name != "file" {
				h.check(d.UnlinkAt(e.Name, 0))
				gone++
			}
		}
	}
	if gone != n {
		t.Errorf("%d of %d seen while removing", gone, n)
	}
	if names, _ := list(d); len(names) != 4 {
		t.Errorf("left: %q", names)
	}
}

// Many requests at once, of all kinds, from one guest.
func TestConcurrent(t *testing.T) {
	h := newHost(t)
	root := h.mount()
	before := h.tree("rw")
	errs := make(chan error)
	const workers = 8
	for w := range workers {
		go func() { errs <- worker(root, w) }()
	}
	for range workers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	list, err := h.j.Changes(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatalf("%v %v", list, err)
	}
	if r, err := h.j.Undo(t.Context(), nil); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r.Conflicts, err)
	}
	if after := h.tree("rw"); after != before {
		t.Errorf("after undo:\n%s\nwant:\n%s", after, before)
	}
}

func worker(root p9.File, w int) error {
	_, rw, err := root.Walk([]string{"rw"})
	if err != nil {
		return err
	}
	defer rw.Close()
	for i := range 30 {
		name := fmt.Sprintf("w%d-%d", w, i%5)
		f, err := func() (p9.File, error) {
			_, d, err := rw.Walk(nil)
			if err != nil {
				return nil, err
			}
			f, _, _, err := d.Create(name, p9.ReadWrite, 0o644, 0, 0)
			return f, err
		}()
		if err != nil {
			return fmt.Errorf("create %s: %w", name, err)
		}
		data := bytes.Repeat([]byte{byte(i)}, 10000)
		if _, err := f.WriteAt(data, 0); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		_, shared, err := rw.Walk([]string{"dir", "file"})
		if err == nil {
			if _, _, err := shared.Open(p9.ReadWrite); err == nil {
				if _, err := shared.WriteAt([]byte(name), int64(i)); err != nil {
					return err
				}
			}
			shared.Close()
		}
		if i%3 == 0 {
			if err := rw.RenameAt(name, rw, name+"-moved"); err != nil {
				return err
			}
		}
		if i%7 == 0 {
			_ = rw.UnlinkAt(name, 0)
		}
	}
	return nil
}
