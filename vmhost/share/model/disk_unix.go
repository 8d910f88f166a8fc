//go:build unix

package model

import (
	"errors"
	"fmt"
	"os"
	"path"
	"sort"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// entry describes one path on the disk.
type entry struct {
	kind byte
	state
	ino uint64
}

func (e entry) String() string {
	return fmt.Sprintf("%c %04o %d %.60q %q", e.kind, e.mode, e.mtime, e.data, e.xattr)
}

// tree is a folder on the disk; "" is its top.
type tree map[string]entry

func readTree(top string) (tree, error) {
	t := tree{}
	return t, t.read(top, "")
}

func (t tree) read(top, rel string) error {
	p := top + "/" + rel
	var st unix.Stat_t
	if err := unix.Lstat(p, &st); err != nil {
		return &os.PathError{Op: "lstat", Path: p, Err: err}
	}
	e := entry{kind: file, ino: st.Ino, state: state{mode: uint32(os.FileMode(st.Mode) & 0o7777), mtime: st.Mtim.Nano()}}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		e.kind = dir
	case unix.S_IFLNK:
		e.kind = symlink
	}
	var buf [64]byte
	if n, err := unix.Lgetxattr(p, Attribute, buf[:]); err == nil {
		e.xattr = string(buf[:n])
	}
	var err error
	switch e.kind {
	case symlink:
		e.data, err = os.Readlink(p)
	case file:
		var b []byte
		b, err = os.ReadFile(p)
		e.data = string(b)
	default:
		var list []os.DirEntry
		list, err = os.ReadDir(p)
		for _, d := range list {
			if err := t.read(top, path.Join(rel, d.Name())); err != nil {
				return err
			}
		}
	}
	t[rel] = e
	return err
}

func (t tree) paths() []string {
	var out []string
	for p := range t {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

func (t tree) String() string {
	var b strings.Builder
	for _, p := range t.paths() {
		fmt.Fprintf(&b, "   %-8q %s\n", p, t[p])
	}
	return b.String()
}

// has reports whether a file with this content is anywhere.
func (t tree) has(data string) bool {
	for _, e := range t {
		if e.kind == file && e.data == data {
			return true
		}
	}
	return false
}

// build makes a world on the disk.
func (m *folder) build(top string) error {
	if err := os.RemoveAll(top); err != nil {
		return err
	}
	if err := os.Mkdir(top, 0o755); err != nil {
		return err
	}
	first := map[int]string{}
	var paths []string
	var nodes []int
	for i := range m.links {
		l := &m.links[i]
		rel, _ := m.path(l.now)
		p, o := top+"/"+rel, &m.nodes[l.node]
		var err error
		old, again := first[l.node]
		switch {
		case again:
			err = os.Link(old, p)
		case o.kind == dir:
			err = os.Mkdir(p, os.FileMode(o.now.mode))
		case o.kind == symlink:
			err = os.Symlink(o.now.data, p)
		default:
			err = os.WriteFile(p, []byte(o.now.data), os.FileMode(o.now.mode))
		}
		if err == nil && !again && o.now.xattr != "" {
			err = unix.Lsetxattr(p, Attribute, []byte(o.now.xattr), 0)
		}
		if err != nil {
			return err
		}
		first[l.node] = p
		paths, nodes = append(paths, p), append(nodes, l.node)
	}
	paths, nodes = append([]string{top}, paths...), append([]int{0}, nodes...)
	for i := len(paths) - 1; i >= 0; i-- {
		if err := setTime(paths[i], m.nodes[nodes[i]].now.mtime); err != nil {
			return err
		}
	}
	return nil
}

func setTime(p string, ns int64) error {
	ts := unix.NsecToTimespec(ns)
	return unix.UtimesNanoAt(unix.AT_FDCWD, p, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}

// editDisk does a step of the person on the disk, which makes a file be data.
func editDisk(top string, s Step, data string) error {
	p := top + "/" + s.A
	put := func(p string, flags int) error {
		f, err := os.OpenFile(p, os.O_WRONLY|flags, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(data)
		return errors.Join(err, f.Close())
	}
	switch s.Verb {
	case "save":
		return put(p, os.O_TRUNC)
	case "new":
		return put(p, os.O_CREATE|os.O_EXCL)
	case "replace":
		if err := put(path.Dir(p)+"/.of-person", os.O_CREATE|os.O_EXCL); err != nil {
			return err
		}
		return os.Rename(path.Dir(p)+"/.of-person", p)
	case "delete":
		return os.Remove(p)
	case "move":
		return os.Rename(p, top+"/"+s.B)
	}
	return syscall.ENOTSUP
}
