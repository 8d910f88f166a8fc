//go:build unix

package review

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// task is what a program in the guest can do, on the layer or on a plain
// directory.
type task interface {
	create(p, data string) error
	write(p, data string, off int64) error
	truncate(p string, size int64) error
	remove(p string) error
	mkdir(p string) error
	rmdir(p string) error
	rename(p, q string) error
	link(p, q string) error
	symlink(target, p string) error
	chmod(p string, mode uint32) error
	chtimes(p string, t time.Time) error
	setxattr(p, name, value string) error
	removexattr(p, name string) error
	read(p string) (string, error)
}

type plain struct{ dir string }

func (d plain) at(p string) string { return filepath.Join(d.dir, p) }

func (d plain) create(p, data string) error {
	f, err := os.OpenFile(d.at(p), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(data)
	return errors.Join(err, f.Close())
}

// regular refuses what the share refuses: it follows no links.
func (d plain) regular(p string) error {
	info, err := os.Lstat(d.at(p))
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("not a file")
	}
	return err
}

func (d plain) write(p, data string, off int64) error {
	if err := d.regular(p); err != nil {
		return err
	}
	f, err := os.OpenFile(d.at(p), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(data), off)
	return errors.Join(err, f.Close())
}

func (d plain) truncate(p string, size int64) error {
	if err := d.regular(p); err != nil {
		return err
	}
	return os.Truncate(d.at(p), size)
}

func (d plain) dirAt(p string) (bool, error) {
	info, err := os.Lstat(d.at(p))
	return err == nil && info.IsDir(), err
}

func (d plain) remove(p string) error {
	if dir, err := d.dirAt(p); dir || err != nil {
		return errors.Join(err, errors.New("a directory"))
	}
	return os.Remove(d.at(p))
}

func (d plain) mkdir(p string) error { return os.Mkdir(d.at(p), 0o755) }

func (d plain) rmdir(p string) error {
	if dir, err := d.dirAt(p); !dir || err != nil {
		return errors.Join(err, errors.New("no directory"))
	}
	return os.Remove(d.at(p))
}

func (d plain) symlink(target, p string) error { return os.Symlink(target, d.at(p)) }

func (d plain) link(p, q string) error { return os.Link(d.at(p), d.at(q)) }

func (d plain) chmod(p string, mode uint32) error {
	info, err := os.Lstat(d.at(p))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return errors.New("a link")
	}
	return errors.Join(err, os.Chmod(d.at(p), fs.FileMode(mode)))
}

func (d plain) read(p string) (string, error) {
	if err := d.regular(p); err != nil {
		return "", err
	}
	b, err := os.ReadFile(d.at(p))
	return string(b), err
}

// staged is a share.Store as a task.
type staged struct{ s share.Store }

func (d staged) create(p, data string) error {
	h, _, err := d.s.Create(p, 0o644)
	if err != nil {
		return err
	}
	_, err = h.WriteAt([]byte(data), 0)
	return errors.Join(err, h.Close())
}

func (d staged) file(p string, write bool, do func(h share.Handle) error) error {
	h, info, err := d.s.Open(p, write)
	if err != nil {
		return err
	}
	if info.Kind == at.Directory {
		err = errors.New("a directory")
	} else {
		err = do(h)
	}
	return errors.Join(err, h.Close())
}

func (d staged) write(p, data string, off int64) error {
	return d.file(p, true, func(h share.Handle) error {
		_, err := h.WriteAt([]byte(data), off)
		return err
	})
}

func (d staged) truncate(p string, size int64) error {
	return d.file(p, true, func(h share.Handle) error { return h.Truncate(size) })
}

func (d staged) remove(p string) error { return d.s.Remove(p) }

func (d staged) mkdir(p string) error {
	_, err := d.s.Mkdir(p, 0o755)
	return err
}

func (d staged) rmdir(p string) error { return d.s.RemoveDir(p) }

func (d staged) rename(p, q string) error { return d.s.Rename(p, q, false) }

func (d staged) link(p, q string) error {
	_, err := d.s.Link(p, q)
	return err
}

func (d staged) symlink(target, p string) error {
	_, err := d.s.Symlink(target, p)
	return err
}

func (d staged) chmod(p string, mode uint32) error {
	_, err := d.s.SetMeta(p, at.Meta{Mode: &mode})
	return err
}

func (d staged) chtimes(p string, t time.Time) error {
	_, err := d.s.SetMeta(p, at.Meta{ATime: t, MTime: t})
	return err
}

// attributed is a store with extended attributes.
type attributed interface {
	GetXattr(rel, name string) ([]byte, error)
	ListXattr(rel string) ([]string, error)
	SetXattr(rel, name string, value []byte, flags int) error
	RemoveXattr(rel, name string) error
}

func (d staged) setxattr(p, name, value string) error {
	return d.s.(attributed).SetXattr(p, name, []byte(value), 0)
}

func (d staged) removexattr(p, name string) error { return d.s.(attributed).RemoveXattr(p, name) }

// attrs are the attributes of a file as a line, "" where there are none.
func (d staged) attrs(p string) (string, error) {
	s := d.s.(attributed)
	names, err := s.ListXattr(p)
	if errors.Is(err, at.ErrUnsupported) || errors.Is(err, unix.ENOTSUP) {
		return "", nil
	}
	slices.Sort(names)
	out := ""
	for _, name := range names {
		value, gerr := s.GetXattr(p, name)
		err = errors.Join(err, gerr)
		out += fmt.Sprintf(" %s=%q", name, value)
	}
	return out, err
}

func (d staged) read(p string) (string, error) {
	var b []byte
	err := d.file(p, false, func(h share.Handle) error {
		var err error
		b, err = io.ReadAll(io.NewSectionReader(h, 0, 1<<30))
		return err
	})
	return string(b), err
}

// list returns the names in a directory of a store, and fails when one comes
// twice.
func (d staged) list(p string) ([]string, error) {
	h, _, err := d.s.Open(p, false)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	var out []string
	for off := int64(0); ; {
		part, err := h.ReadDir(off, 100)
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			break
		}
		for _, e := range part {
			if e.Name != "." && e.Name != ".." {
				out = append(out, e.Name)
			}
			off = e.Next
		}
	}
	slices.Sort(out)
	if n := len(out); len(slices.Compact(slices.Clone(out))) != n {
		return nil, fmt.Errorf("a name twice: %q", out)
	}
	return out, nil
}
