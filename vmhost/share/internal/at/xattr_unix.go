//go:build linux || darwin

package at

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Attrs reads and changes the extended attributes of one file or directory,
// those in the name space "user." only. It is used between its making and Close.
type Attrs struct {
	fd   int // usable with f*xattr(2), or -1
	path string
	name string
	end  func()
}

// FileAttrs returns the attributes of an open file.
func FileAttrs(f *os.File) *Attrs {
	return &Attrs{fd: int(f.Fd()), name: f.Name(), end: func() {}}
}

// Close ends the use.
func (a *Attrs) Close() { a.end() }

// Get returns the value of an attribute.
func (a *Attrs) Get(attr string) ([]byte, error) {
	if err := CheckAttr(attr, 0); err != nil {
		return nil, wrap("getxattr", a.name, err)
	}
	value, err := fill(MaxAttrValue, func(b []byte) (int, error) {
		if a.fd >= 0 {
			return unix.Fgetxattr(a.fd, attr, b)
		}
		return unix.Getxattr(a.path, attr, b)
	})
	return value, wrap("getxattr", a.name, err)
}

// fill calls get with a small buffer, and with one of max bytes when that is
// too small (ERANGE).
func fill(max int, get func([]byte) (int, error)) ([]byte, error) {
	buf, n := make([]byte, 512), 0
	call := func() (err error) {
		n, err = get(buf)
		return err
	}
	err := again(call)
	if errors.Is(err, unix.ERANGE) {
		buf = make([]byte, max)
		err = again(call)
	}
	if err != nil {
		return nil, err
	}
	return buf[:n:n], nil
}

// List returns the names of the attributes.
func (a *Attrs) List() ([]string, error) {
	list, err := fill(maxAttrList, func(b []byte) (int, error) {
		if a.fd >= 0 {
			return unix.Flistxattr(a.fd, b)
		}
		return unix.Listxattr(a.path, b)
	})
	if err != nil {
		return nil, wrap("listxattr", a.name, err)
	}
	var names []string
	for name := range strings.SplitSeq(string(list), "\x00") {
		if CheckAttr(name, 0) == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// Set sets an attribute; flags are AttrCreate, AttrReplace or 0.
func (a *Attrs) Set(attr string, value []byte, flags int) error {
	err := CheckAttr(attr, len(value))
	if err == nil && flags&^(AttrCreate|AttrReplace) != 0 {
		err = unix.EINVAL
	}
	if err == nil {
		err = again(func() error {
			if a.fd >= 0 {
				return unix.Fsetxattr(a.fd, attr, value, attrFlags(flags))
			}
			return unix.Setxattr(a.path, attr, value, attrFlags(flags))
		})
	}
	return wrap("setxattr", a.name, err)
}

// Remove removes an attribute.
func (a *Attrs) Remove(attr string) error {
	err := CheckAttr(attr, 0)
	if err == nil {
		err = again(func() error {
			if a.fd >= 0 {
				return unix.Fremovexattr(a.fd, attr)
			}
			return unix.Removexattr(a.path, attr)
		})
	}
	return wrap("removexattr", a.name, err)
}

// All returns all attributes, or E2BIG when they are over MaxAttrs. A file
// system without attributes has none.
func (a *Attrs) All() (AttrSet, error) {
	names, err := a.List()
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	set, total := AttrSet{}, 0
	for _, name := range names {
		value, err := a.Get(name)
		if errors.Is(err, ErrNoAttr) {
			continue // removed in this moment
		}
		if err != nil {
			return nil, err
		}
		if total += len(name) + len(value); total > MaxAttrs {
			return nil, wrap("getxattr", a.name, syscall.E2BIG)
		}
		set[name] = value
	}
	return set, nil
}
