package review

import (
	"io/fs"
	"path"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
)

// spot is a place in the merged view. Walking there costs no system call: a path is resolved in
// memory, name by name, to a node or to a path of the original, which is then looked at once.
type spot struct {
	n    *node  // nil: nothing is known about it here
	base string // path in the original, "" when it has none
}

// made marks inode numbers of what the task made, far from what file systems
// count from and below the bits that share.Set uses.
const made = 0x7e00_0000_0000

// tempPrefix begins the names that Apply uses in the original.
func (t *tables) tempPrefix() string { return ".piwork-review-" + t.layer + "-" }

// child goes one name further; mu is held.
func (l *tree) child(s spot, name string) (spot, error) {
	if err := at.CheckName(name); err != nil {
		return spot{}, fail("lookup", name, err)
	}
	if n := s.n; n != nil {
		switch e := n.names[name]; {
		case n.Kind == at.Symlink:
			return spot{}, fail("lookup", name, at.ErrLink)
		case n.Kind != at.Directory:
			return spot{}, fail("lookup", name, syscall.ENOTDIR)
		case n.Mode != nil && *n.Mode&0o100 == 0:
			return spot{}, fail("lookup", name, fs.ErrPermission)
		case e != nil && e.node == nil, e == nil && s.base == "":
			return spot{}, fail("lookup", name, fs.ErrNotExist)
		case e != nil:
			return spot{e.node, string(e.node.Base)}, nil
		}
	}
	if strings.HasPrefix(name, l.t.tempPrefix()) {
		return spot{}, fail("lookup", name, fs.ErrNotExist)
	}
	base := path.Join(s.base, name)
	return spot{l.t.byBase[base], base}, nil
}

// walk goes to a path, "." being the folder itself; mu is held.
func (l *tree) walk(rel string) (spot, error) {
	if l.closed {
		return spot{}, ErrClosed
	}
	s := spot{l.t.root, "."}
	if rel == "." {
		return s, nil
	}
	for name := range strings.SplitSeq(rel, "/") {
		var err error
		if s, err = l.child(s, name); err != nil {
			return spot{}, err
		}
	}
	return s, nil
}

// find goes to a path and looks at what is there; mu is held.
func (l *tree) find(rel string) (spot, at.Info, error) {
	s, err := l.walk(rel)
	if err != nil {
		return s, at.Info{}, err
	}
	return l.look(s)
}

// look returns what is at a spot. Another name of a file that the task changed
// is that file. A node that is only open stands for the original it was opened
// as, and for no other that has its name now.
func (l *tree) look(s spot) (spot, at.Info, error) {
	if s.n != nil && s.n.kept {
		info, err := l.info(s.n)
		return s, info, err
	}
	info, err := l.root.Lstat(s.base)
	if err != nil {
		return s, info, err
	}
	if s.n != nil && s.n.Orig.ID != info.ID {
		s.n = nil
	}
	if info.Kind == at.File && info.NLink > 1 {
		if n := l.t.byID[info.ID]; n != nil {
			s.n = n
			if n.kept {
				info, err = l.info(n)
			}
		}
	}
	return s, info, err
}

// info returns what a node is that is in the log, or has lost its name; mu is
// held.
func (l *tree) info(n *node) (at.Info, error) {
	info, err := l.plain(n)
	if err != nil {
		return info, err
	}
	info.Kind, info.ID = n.Kind, l.id(n)
	info.NLink = n.nlink()
	if n.Kind == at.Directory {
		info.NLink = 1 // not counted, as many file systems do it
	}
	if n.Mode != nil {
		info.Mode = *n.Mode
	}
	if n.ATime != nil {
		info.ATime = n.ATime.time()
	}
	if n.CTime != nil && info.CTime.Before(n.CTime.time()) {
		info.CTime = n.CTime.time()
	}
	if n.MTime != nil && (n.Kind != at.Directory || n.Times || info.MTime.Before(n.MTime.time())) {
		info.MTime = n.MTime.time() // a person may have put something into a directory since
	}
	return info, nil
}

// plain is info without what the task decided about it.
func (l *tree) plain(n *node) (at.Info, error) {
	switch {
	case n.Obj != 0:
		info, err := l.objs.Lstat(objName(n.Obj))
		if info.Type = typeReg; n.Orig != nil {
			info.Mode = n.Orig.Mode
		}
		return info, err
	case n.Base == "":
		info := at.Info{Type: typeDir, Size: 4096, Block: 4096, Blocks: 8}
		if n.Kind == at.Symlink {
			info = at.Info{Type: typeLink, Size: int64(len(n.Link)), Mode: 0o777, Block: 4096}
		}
		return info, nil
	}
	info, err := l.root.Lstat(string(n.Base))
	if err == nil && info.Kind == n.Kind {
		return info, nil
	}
	if n.Kind == at.Directory && n.holds() {
		// A person took it away; what the task put into it is still there.
		return at.Info{Type: typeDir, Mode: n.Orig.Mode, Size: 4096, Block: 4096, MTime: n.Orig.MTime.time(), CTime: n.Orig.CTime.time()}, nil
	}
	return info, fail("lstat", path.Base(string(n.Base)), fs.ErrNotExist)
}

// holds reports whether the task put something into a directory.
func (n *node) holds() bool {
	for _, e := range n.order {
		if e.node != nil {
			return true
		}
	}
	return false
}

// Types of files as they stand in at.Info.Type: Linux's.
const (
	typeReg  = 0o100000
	typeDir  = 0o040000
	typeLink = 0o120000
)

// id returns by what number guests know a node, the same for all its life.
func (l *tree) id(n *node) at.ID {
	switch {
	case n.Ino != at.ID{}:
		return n.Ino
	case n.Base == "":
		return at.ID{Dev: l.t.dev, Ino: made | n.N}
	}
	return n.Orig.ID
}

// Lstat returns what rel is.
func (l *Layer) Lstat(rel string) (at.Info, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, info, err := l.find(rel)
	return info, err
}

// Readlink returns the target of a symbolic link.
func (l *Layer) Readlink(rel string) (string, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s, info, err := l.find(rel)
	if err != nil {
		return "", err
	}
	if info.Kind != at.Symlink {
		return "", fail("readlink", rel, fs.ErrInvalid)
	}
	return l.target(s)
}

// target returns where a symbolic link leads; mu is held.
func (l *tree) target(s spot) (string, error) {
	if s.n != nil && s.n.Base == "" {
		return string(s.n.Link), nil
	}
	if s.n != nil {
		s.base = string(s.n.Base)
	}
	return l.readlink(s.base)
}

func (l *base) readlink(base string) (string, error) {
	d, name, err := l.root.Split(base)
	if err != nil {
		return "", err
	}
	defer d.Close()
	return d.Readlink(name)
}

// Space returns the size of the file system that the folder lies on. Content is first on that of
// the layer, which may be the one without holes.
func (l *Layer) Space() (at.Space, error) {
	s, err := l.root.Space()
	own, oerr := l.own.Space()
	s.Dense = s.Dense || oerr == nil && own.Dense
	return s, err
}

// Original reports whether a change of rel would change something of a person's
// at once. Here it never does.
func (l *Layer) Original(string) (bool, error) { return false, nil }

// Taken reports nothing for the same reason.
func (l *Layer) Taken(string) (bool, error) { return false, nil }
