package share

import (
	"io/fs"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// Extended attributes are those of programs: of the name space "user.", where the
// host has them. Others mean something to the host and are neither shown nor set
// (at.ErrUnsupported), so that most questions of a guest are answered without
// looking.

// attrStore is a Store that has extended attributes.
type attrStore interface {
	GetXattr(rel, attr string) ([]byte, error)
	ListXattr(rel string) ([]string, error)
	// SetXattr and RemoveXattr change one; flags are at.AttrCreate, at.AttrReplace
	// or 0.
	SetXattr(rel, attr string, value []byte, flags int) error
	RemoveXattr(rel, attr string) error
}

// attrHandle is the same of an open file or directory.
type attrHandle interface {
	GetXattr(attr string) ([]byte, error)
	ListXattr() ([]string, error)
	SetXattr(attr string, value []byte, flags int) error
	RemoveXattr(attr string) error
}

// attrs calls do with the attributes of the folder.
func (t *Tree) attrs(op, rel string, do func(attrStore) error) error {
	s, ok := t.store.(attrStore)
	if !ok {
		return &fs.PathError{Op: op, Path: rel, Err: at.ErrUnsupported}
	}
	return do(s)
}

// GetXattr returns an extended attribute.
func (t *Tree) GetXattr(rel, attr string) (value []byte, err error) {
	if err := at.CheckAttr(attr, 0); err != nil {
		return nil, err
	}
	err = t.do(func() error {
		return t.attrs("getxattr", rel, func(s attrStore) error { value, err = s.GetXattr(rel, attr); return err })
	})
	return value, err
}

// ListXattr returns the names of the extended attributes.
func (t *Tree) ListXattr(rel string) (names []string, err error) {
	err = t.do(func() error {
		return t.attrs("listxattr", rel, func(s attrStore) error { names, err = s.ListXattr(rel); return err })
	})
	return names, err
}

// SetXattr sets an extended attribute; flags are at.AttrCreate, at.AttrReplace
// or 0.
func (t *Tree) SetXattr(rel, attr string, value []byte, flags int) error {
	if err := at.CheckAttr(attr, len(value)); err != nil {
		return err
	}
	return t.changes(guard.Change, rel, func() error {
		return t.attrs("setxattr", rel, func(s attrStore) error { return s.SetXattr(rel, attr, value, flags) })
	})
}

// RemoveXattr removes an extended attribute.
func (t *Tree) RemoveXattr(rel, attr string) error {
	if err := at.CheckAttr(attr, 0); err != nil {
		return err
	}
	return t.changes(guard.Change, rel, func() error {
		return t.attrs("removexattr", rel, func(s attrStore) error { return s.RemoveXattr(rel, attr) })
	})
}

// attrs calls do with the attributes of the open file.
func (f *File) attrs(op, attr string, size int, do func(attrHandle) error) error {
	if err := at.CheckAttr(attr, size); err != nil {
		return err
	}
	if err := f.use(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	h, ok := f.h.(attrHandle)
	if !ok {
		return &fs.PathError{Op: op, Path: f.rel, Err: at.ErrUnsupported}
	}
	return do(h)
}

// GetXattr is [Tree.GetXattr] of the file itself, when it has no name any more.
func (f *File) GetXattr(attr string) (value []byte, err error) {
	err = f.attrs("getxattr", attr, 0, func(h attrHandle) error { value, err = h.GetXattr(attr); return err })
	return value, err
}

// ListXattr is [Tree.ListXattr] of the file itself.
func (f *File) ListXattr() (names []string, err error) {
	const any = "user.any" // a name that passes
	err = f.attrs("listxattr", any, 0, func(h attrHandle) error { names, err = h.ListXattr(); return err })
	return names, err
}

// SetXattr is [Tree.SetXattr] of the file itself.
func (f *File) SetXattr(attr string, value []byte, flags int) error {
	return f.changeAttrs("setxattr", attr, len(value), func(h attrHandle) error { return h.SetXattr(attr, value, flags) })
}

// RemoveXattr is [Tree.RemoveXattr] of the file itself.
func (f *File) RemoveXattr(attr string) error {
	return f.changeAttrs("removexattr", attr, 0, func(h attrHandle) error { return h.RemoveXattr(attr) })
}

func (f *File) changeAttrs(op, attr string, size int, do func(attrHandle) error) error {
	return f.attrs(op, attr, size, func(h attrHandle) error {
		if f.tree.folder.ReadOnly {
			return ErrReadOnly
		}
		if err := f.content(guard.Change); err != nil {
			return err
		}
		return f.tree.wait(do(h))
	})
}
