package share

import (
	"io/fs"

	"piwork/vmhost/share/internal/at"
)

// tmpStore is a Store that has files without a name (O_TMPFILE).
type tmpStore interface {
	// Tmpfile makes one, open for reading and writing, in the file system of a
	// directory.
	Tmpfile(dir string, perm uint32) (Handle, at.Info, error)
	// LinkFile gives a handle of Tmpfile a name, and fails when that is taken.
	LinkFile(h Handle, rel string) (at.Info, error)
}

// Tmpfile makes a file without a name, for as long as it is open.
func (t *Tree) Tmpfile(dir string, perm uint32) (*File, at.Info, error) {
	return t.file(t.edit, dir, true, func() (Handle, at.Info, error) {
		if s, ok := t.store.(tmpStore); ok {
			return s.Tmpfile(dir, perm&0o777)
		}
		return nil, at.Info{}, &fs.PathError{Op: "tmpfile", Path: dir, Err: at.ErrUnsupported}
	}, false)
}

// LinkFile gives a file of Tmpfile a name, which is the making of a file. It
// fails when the name is taken.
func (t *Tree) LinkFile(f *File, rel string) (info at.Info, err error) {
	if f.tree != t {
		return info, &fs.PathError{Op: "link", Path: rel, Err: fs.ErrInvalid}
	}
	if err := f.use(); err != nil {
		return info, err
	}
	defer f.mu.RUnlock()
	s, ok := t.store.(tmpStore)
	if !ok || !f.write {
		return info, &fs.PathError{Op: "link", Path: rel, Err: fs.ErrNotExist}
	}
	err = t.creates(rel, at.File, func() error { info, err = s.LinkFile(f.h, rel); return err })
	return info, err
}
