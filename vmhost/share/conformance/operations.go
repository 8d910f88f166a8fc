package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share/journal"
)

// operation works in a folder d that may be changed, does on the host what check
// says, can be taken back, and is refused with EROFS in a read-only one.
type operation struct {
	name   string
	change bool
	do     func(g Guest, d string) error
	check  func(dir string) error
}

func (o operation) run(h *host) {
	t := h.t
	before := h.tree("rw")
	if err := o.do(h.g, "rw"); err != nil {
		t.Fatal(err)
	}
	if err := h.settle(); err != nil {
		t.Errorf("settle: %v", err)
	}
	if o.check != nil {
		if err := o.check(h.path("rw")); err != nil {
			t.Error(err)
		}
	}
	if r, err := h.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
	if after := h.tree("rw"); after != before {
		t.Errorf("after undo:\n%s\nwant:\n%s", after, before)
	}
	ro := h.tree("ro")
	err := o.do(h.g, "ro")
	if o.change && expect(err, linux.EROFS) != nil || !o.change && err != nil {
		t.Errorf("in a read-only folder: %v", err)
	}
	if got := h.tree("ro"); got != ro {
		t.Errorf("read-only folder changed:\n%s\nwas:\n%s", got, ro)
	}
}

func content(rel, want string) func(string) error {
	return func(dir string) error {
		b, err := os.ReadFile(filepath.Join(dir, rel))
		if err != nil || string(b) != want {
			return fmt.Errorf("%s: %q %w", rel, b, err)
		}
		return nil
	}
}

func missing(rel string) func(string) error {
	return func(dir string) error {
		_, err := os.Lstat(filepath.Join(dir, rel))
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return errors.Join(fmt.Errorf("%s is there", rel), err)
	}
}

// put opens a file, writes to it and closes it.
func put(g Guest, path string, flags uint32, text string, off int64) error {
	f, err := g.Open(path, flags)
	if err != nil {
		return err
	}
	return write(f, text, off)
}

// using opens a file, does something with it, and closes it.
func using(g Guest, path string, flags uint32, do func(Handle) error) error {
	f, err := g.Open(path, flags)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// nothing is for using a file that is only opened.
func nothing(Handle) error { return nil }

func write(f Handle, text string, off int64) error {
	n, err := f.WriteAt([]byte(text), off)
	if err == nil && n != len(text) {
		err = io.ErrShortWrite
	}
	return errors.Join(err, f.Close())
}

var stamp = time.Date(2001, 2, 3, 4, 5, 6, 789012345, time.UTC)

const (
	typeFIFO = 0o010000
	typeDir  = 0o040000
	typeFile = 0o100000
	typeMask = 0o170000
)

// neither holds a file of the access mode 3 to what open(2) says of it: it is had
// by who may read and write, and is for neither.
func neither(f Handle, err error) error {
	if err != nil {
		return err
	}
	_, read := f.ReadAt(make([]byte, 1), 0)
	_, written := f.WriteAt([]byte("x"), 0)
	return errors.Join(expect(read, linux.EBADF), expect(written, linux.EBADF), f.Close())
}

var operations = []operation{
	{"read", false, func(g Guest, d string) error {
		f, err := g.Open(d+"/file", ReadOnly)
		if err != nil {
			return err
		}
		b := make([]byte, 100)
		if n, err := f.ReadAt(b, 7); string(b[:n]) != "of file" {
			return fmt.Errorf("%q %w", b[:n], err)
		}
		if n, err := f.ReadAt(b, 1000); n != 0 || err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("beyond the end: %d %w", n, err)
		}
		return f.Close()
	}, nil},
	{"write to what is open for reading", false, func(g Guest, d string) error {
		return using(g, d+"/file", ReadOnly, func(f Handle) error { return expect(second(f.WriteAt([]byte("x"), 0)), linux.EBADF) })
	}, nil},
	{"attributes", false, func(g Guest, d string) error {
		a, err := g.Stat(d + "/file")
		if a.UID != 1000 || a.GID != 1000 || a.Size != 14 || a.Mode != typeFile|0o644 || a.NLink != 1 || a.MTime.IsZero() {
			return fmt.Errorf("%+v %w", a, err)
		}
		if a, err = g.Stat(d + "/dir"); a.Mode != typeDir|0o755 {
			return fmt.Errorf("%+v %w", a, err)
		}
		return err
	}, nil},
	{"statfs", false, func(g Guest, d string) error {
		blocks, nameLen, err := g.Statfs(d)
		if blocks == 0 || nameLen != 255 {
			return fmt.Errorf("%d blocks, names of %d: %w", blocks, nameLen, err)
		}
		return err
	}, nil},
	{"list", false, func(g Guest, d string) error {
		names, err := g.List(d)
		slices.Sort(names)
		if want := []string{".", "..", "dir", "file"}; !slices.Equal(names, want) {
			return fmt.Errorf("%q %w", names, err)
		}
		return err
	}, nil},
	{"not there", false, func(g Guest, d string) error {
		_, err := g.Stat(d + "/nothing")
		return expect(err, linux.ENOENT)
	}, nil},
	{"write", true, func(g Guest, d string) error {
		return using(g, d+"/file", WriteOnly, func(f Handle) error {
			return errors.Join(second(f.WriteAt([]byte("SECRET"), 0)), f.Sync())
		})
	}, content("file", "SECRET of file")},
	{"read what is open for writing", true, func(g Guest, d string) error {
		return using(g, d+"/file", WriteOnly, func(f Handle) error { return expect(second(f.ReadAt(make([]byte, 1), 0)), linux.EBADF) })
	}, nil},
	{"open for neither reading nor writing", true, func(g Guest, d string) error {
		return neither(g.Open(d+"/file", Neither))
	}, content("file", "secret of file")},
	{"truncate with the open for neither", true, func(g Guest, d string) error {
		return neither(g.Open(d+"/file", Neither|Truncate))
	}, content("file", "")},
	{"create for neither", true, func(g Guest, d string) error {
		return neither(g.Create(d+"/new", Neither, 0o600))
	}, content("new", "")},
	{"write with a hole", true, func(g Guest, d string) error {
		return put(g, d+"/file", ReadWrite, "end", 5<<20)
	}, func(dir string) error {
		info, err := os.Stat(filepath.Join(dir, "file"))
		if err != nil || info.Size() != 5<<20+3 {
			return fmt.Errorf("%v %w", info, err)
		}
		return nil
	}},
	{"write a megabyte", true, func(g Guest, d string) error {
		return put(g, d+"/file", ReadWrite, strings.Repeat("x", 1<<20-4096), 0)
	}, content("file", strings.Repeat("x", 1<<20-4096))},
	{"append", true, func(g Guest, d string) error {
		return using(g, d+"/file", WriteOnly|Append, func(f Handle) error {
			return errors.Join(second(f.WriteAt([]byte(", and"), 0)), second(f.WriteAt([]byte(" more"), 3)))
		})
	}, content("file", "secret of file, and more")},
	{"append to what is made", true, func(g Guest, d string) error {
		f, err := g.Create(d+"/new", WriteOnly|Append, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(second(f.WriteAt([]byte("one"), 0)), write(f, "two", 0))
	}, content("new", "onetwo")},
	{"append after truncating", true, func(g Guest, d string) error {
		return using(g, d+"/file", WriteOnly|Append|Truncate, func(f Handle) error {
			return errors.Join(second(f.WriteAt([]byte("one"), 14)), f.Truncate(1), second(f.WriteAt([]byte("two"), 3)))
		})
	}, content("file", "otwo")},
	{"open and truncate", true, func(g Guest, d string) error {
		return using(g, d+"/file", WriteOnly|Truncate, nothing)
	}, content("file", "")},
	{"truncate", true, func(g Guest, d string) error { return g.Truncate(d+"/file", 6) }, content("file", "secret")},
	{"truncate what is open", true, func(g Guest, d string) error {
		return using(g, d+"/file", ReadWrite, func(f Handle) error { return f.Truncate(6) })
	}, content("file", "secret")},
	{"truncate to 2^63", true, func(g Guest, d string) error {
		return expect(g.Truncate(d+"/file", 1<<63), linux.EFBIG)
	}, nil},
	{"create", true, func(g Guest, d string) error {
		f, err := g.Create(d+"/new", ReadWrite, 0o600)
		if err != nil {
			return err
		}
		return write(f, "x", 0)
	}, content("new", "x")},
	{"create what is there", true, func(g Guest, d string) error {
		f, err := g.Create(d+"/file", ReadWrite, 0o600)
		if err != nil {
			return err
		}
		return write(f, "SECRET", 0)
	}, content("file", "SECRET of file")},
	{"create exclusively", true, func(g Guest, d string) error {
		_, err := g.Create(d+"/file", ReadWrite|Exclusive, 0o600)
		return expect(err, linux.EEXIST)
	}, content("file", "secret of file")},
	{"create over what is there", true, func(g Guest, d string) error {
		f, err := g.Create(d+"/file", ReadWrite|Truncate, 0o600)
		if err != nil {
			return err
		}
		return f.Close()
	}, content("file", "")},
	{"create in what is no directory", true, func(g Guest, d string) error {
		_, err := g.Create(d+"/file/new", ReadWrite, 0o600)
		return expect(err, linux.ENOTDIR)
	}, nil},
	{"create a name of 256 bytes", false, func(g Guest, d string) error {
		_, err := g.Create(d+"/"+strings.Repeat("x", 256), ReadWrite, 0o600)
		return expect(err, linux.ENAMETOOLONG)
	}, nil},
	{"mkdir", true, func(g Guest, d string) error { return g.Mkdir(d+"/new", 0o750) }, func(dir string) error {
		info, err := os.Stat(filepath.Join(dir, "new"))
		if err != nil || !info.IsDir() || info.Mode().Perm() != 0o750 {
			return fmt.Errorf("%v %w", info, err)
		}
		return nil
	}},
	{"symlink", true, func(g Guest, d string) error {
		if err := g.Symlink("../../any where", d+"/l"); err != nil {
			return err
		}
		target, err := g.Readlink(d + "/l")
		if target != "../../any where" {
			return fmt.Errorf("%q %w", target, err)
		}
		return err
	}, nil},
	{"hard link", true, func(g Guest, d string) error {
		if err := g.Link(d+"/file", d+"/second"); err != nil {
			return err
		}
		a, err := g.Stat(d + "/file")
		b, err2 := g.Stat(d + "/second")
		if err = errors.Join(err, err2); err != nil || a.Ino != b.Ino || a.NLink != 2 || b.NLink != 2 {
			return fmt.Errorf("%+v %+v %w", a, b, err)
		}
		return nil
	}, content("second", "secret of file")},
	{"mknod of a file", true, func(g Guest, d string) error { return g.Mknod(d+"/plain", typeFile|0o644) }, content("plain", "")},
	{"mknod of a FIFO", true, func(g Guest, d string) error {
		return expect(g.Mknod(d+"/fifo", typeFIFO|0o644), linux.EPERM)
	}, missing("fifo")},
	{"rename", true, func(g Guest, d string) error { return g.Rename(d+"/file", d+"/dir/moved") }, content("dir/moved", "secret of file")},
	{"rename over", true, func(g Guest, d string) error { return g.Rename(d+"/file", d+"/dir/file") }, content("dir/file", "secret of file")},
	{"rename to itself", true, func(g Guest, d string) error { return g.Rename(d+"/file", d+"/file") }, content("file", "secret of file")},
	{"rename a directory over a full one", true, func(g Guest, d string) error {
		if err := g.Mkdir(d+"/empty", 0o755); err != nil {
			return err
		}
		return expect(g.Rename(d+"/empty", d+"/dir"), linux.ENOTEMPTY, linux.EEXIST)
	}, content("dir/file", "secret of dir/file")},
	{"rename a directory into itself", true, func(g Guest, d string) error {
		return expect(g.Rename(d+"/dir", d+"/dir/sub/x"), linux.EINVAL)
	}, nil},
	{"unlink", true, func(g Guest, d string) error { return g.Unlink(d + "/file") }, missing("file")},
	{"unlink a directory", true, func(g Guest, d string) error { return expect(g.Unlink(d+"/dir"), linux.EISDIR) }, nil},
	{"rmdir", true, func(g Guest, d string) error { return g.Rmdir(d + "/dir/sub") }, missing("dir/sub")},
	{"rmdir of a full directory", true, func(g Guest, d string) error {
		return expect(g.Rmdir(d+"/dir"), linux.ENOTEMPTY)
	}, nil},
	{"rmdir of a file", true, func(g Guest, d string) error { return expect(g.Rmdir(d+"/file"), linux.ENOTDIR) }, nil},
	{"unlink of nothing", true, func(g Guest, d string) error {
		return expect(g.Unlink(d+"/nothing"), linux.ENOENT)
	}, nil},
	{"chmod", true, func(g Guest, d string) error { return g.Chmod(d+"/file", 0o4711) }, func(dir string) error {
		info, err := os.Stat(filepath.Join(dir, "file"))
		if err != nil || info.Mode() != 0o711 {
			return fmt.Errorf("%v %w", info, err)
		}
		return nil
	}},
	{"times", true, func(g Guest, d string) error {
		if err := g.Chtimes(d+"/file", stamp); err != nil {
			return err
		}
		a, err := g.Stat(d + "/file")
		if !a.MTime.Equal(stamp) {
			return fmt.Errorf("%v %w", a.MTime, err)
		}
		return err
	}, func(dir string) error {
		info, err := os.Stat(filepath.Join(dir, "file"))
		if err != nil || !info.ModTime().Equal(stamp) {
			return fmt.Errorf("%v %w", info, err)
		}
		return nil
	}},
	{"chown is accepted and does nothing", true, func(g Guest, d string) error {
		if err := g.Chown(d+"/file", 7, 7); err != nil {
			return err
		}
		a, err := g.Stat(d + "/file")
		if a.UID != 1000 || a.GID != 1000 {
			return fmt.Errorf("%+v %w", a, err)
		}
		return err
	}, nil},
	{"read, write and truncate while unlinked and open", true, func(g Guest, d string) error {
		f, err := g.Open(d+"/file", ReadWrite)
		if err != nil {
			return err
		}
		if err := g.Unlink(d + "/file"); err != nil {
			return err
		}
		if _, err := f.WriteAt([]byte("gone for good"), 0); err != nil {
			return err
		}
		if err := f.Truncate(4); err != nil {
			return fmt.Errorf("truncate: %w", err)
		}
		b := make([]byte, 10)
		if n, err := f.ReadAt(b, 0); string(b[:n]) != "gone" {
			return fmt.Errorf("%q %w", b[:n], err)
		}
		a, err := f.Stat()
		if a.NLink > 1 || a.Size != 4 { // its inode may be in the journal
			return fmt.Errorf("%+v %w", a, err)
		}
		return errors.Join(err, f.Close())
	}, missing("file")},
	{"write while renamed and open", true, func(g Guest, d string) error {
		return using(g, d+"/dir/file", ReadWrite, func(f Handle) error {
			return errors.Join(g.Rename(d+"/dir", d+"/moved"), second(f.WriteAt([]byte("SECRET"), 0)))
		})
	}, content("moved/file", "SECRET of dir/file")},
	{"write to what was replaced and is open", true, func(g Guest, d string) error {
		return using(g, d+"/dir/file", ReadWrite, func(f Handle) error {
			return errors.Join(g.Rename(d+"/file", d+"/dir/file"), second(f.WriteAt([]byte("SECRET"), 0)))
		})
	}, content("dir/file", "secret of file")},
	{"names", true, oddNamesMade, func(dir string) error {
		for _, n := range OddNames {
			if err := content(n, n)(dir); err != nil {
				return err
			}
		}
		return nil
	}},
}

// OddNames are names that must come through byte for byte.
var OddNames = []string{
	"Überraschung.txt", "U\u0308berraschung.txt", "写真.jpg", "a b c", `"quoted" 'twice'`, "line\nfeed", "-rf", "--", "...", ".hidden",
	"tab\there", "back\\slash", "*?[x]", "trailing ", " leading", "%s%n", "\x01\x7f", "not\xff\xfeutf8", strings.Repeat("x", 255),
	strings.Repeat("ü", 127), "C:", "NUL", "aux.txt", "$(touch x)", ";rm", "~",
}

func oddNamesMade(g Guest, d string) error {
	for _, n := range OddNames {
		f, err := g.Create(d+"/"+n, ReadWrite|Exclusive, 0o644)
		if err == nil {
			err = write(f, n, 0)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", n, err)
		}
	}
	got, err := g.List(d)
	for _, n := range OddNames {
		if !slices.Contains(got, n) {
			return fmt.Errorf("%q is not listed: %w", n, err)
		}
	}
	return err
}
