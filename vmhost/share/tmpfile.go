package share

import (
	"io/fs"

	"piwork/vmhost/share/internal/at"
)

// Tmpfile makes a file without a name, for as long as it is open.
func (t *Tree) Tmpfile(dir string, perm uint32) (*File, at.Info, error) {
	return t.file(t.edit, dir, true, func() (Handle, at.Info, error) {
		return t.store.Tmpfile(dir, perm&0o777)
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
	defer f.done()
	if !f.write {
		return info, &fs.PathError{Op: "link", Path: rel, Err: fs.ErrNotExist}
	}
	err = t.consent.creates(rel, at.File, func() error { info, err = t.store.LinkFile(f.h, rel); return err })
	return info, err
}
