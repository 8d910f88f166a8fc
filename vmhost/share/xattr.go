package share

import (
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// Extended attributes are those of programs: of the name space "user.", where the
// host has them. Others mean something to the host and are neither shown nor set
// (at.ErrUnsupported), so that most questions of a guest are answered without
// looking.

// GetXattr returns an extended attribute.
func (t *Tree) GetXattr(rel, attr string) (value []byte, err error) {
	if err := at.CheckAttr(attr, 0); err != nil {
		return nil, err
	}
	err = t.do(func() error { value, err = t.store.GetXattr(rel, attr); return err })
	return value, err
}

// ListXattr returns the names of the extended attributes.
func (t *Tree) ListXattr(rel string) (names []string, err error) {
	err = t.do(func() error { names, err = t.store.ListXattr(rel); return err })
	return names, err
}

// SetXattr sets an extended attribute; flags are at.AttrCreate, at.AttrReplace
// or 0.
func (t *Tree) SetXattr(rel, attr string, value []byte, flags int) error {
	if err := at.CheckAttr(attr, len(value)); err != nil {
		return err
	}
	return t.consent.changes(guard.Change, rel, func() error {
		return t.paid(rel, t.attrBytes(attr, value, func() error { _, err := t.store.GetXattr(rel, attr); return err }), func() error {
			return t.store.SetXattr(rel, attr, value, flags)
		})
	})
}

// attrBytes is what setting an attribute counts: one that look does not find is a name, and takes
// a block where the first of a file does.
func (t *Tree) attrBytes(attr string, value []byte, look func() error) int64 {
	bytes := int64(len(attr) + len(value))
	if t.folder.Bytes != nil && look() != nil {
		bytes = max(bytes, guard.NameBytes)
	}
	return bytes
}

// RemoveXattr removes an extended attribute.
func (t *Tree) RemoveXattr(rel, attr string) error {
	if err := at.CheckAttr(attr, 0); err != nil {
		return err
	}
	return t.consent.changes(guard.Change, rel, func() error { return t.store.RemoveXattr(rel, attr) })
}

// attrs calls do, which has to do with attributes of the open file.
func (f *File) attrs(attr string, size int, do func() error) error {
	if err := at.CheckAttr(attr, size); err != nil {
		return err
	}
	if err := f.use(); err != nil {
		return err
	}
	defer f.done()
	return do()
}

// GetXattr is [Tree.GetXattr] of the file itself, when it has no name any more.
func (f *File) GetXattr(attr string) (value []byte, err error) {
	err = f.attrs(attr, 0, func() error { value, err = f.h.GetXattr(attr); return err })
	return value, err
}

// ListXattr is [Tree.ListXattr] of the file itself.
func (f *File) ListXattr() ([]string, error) {
	if err := f.use(); err != nil {
		return nil, err
	}
	defer f.done()
	return f.h.ListXattr()
}

// SetXattr is [Tree.SetXattr] of the file itself.
func (f *File) SetXattr(attr string, value []byte, flags int) error {
	return f.changeAttrs(attr, len(value), func() error {
		return f.tree.paid(f.rel, f.tree.attrBytes(attr, value, func() error { _, err := f.h.GetXattr(attr); return err }), func() error {
			return f.h.SetXattr(attr, value, flags)
		})
	})
}

// RemoveXattr is [Tree.RemoveXattr] of the file itself.
func (f *File) RemoveXattr(attr string) error {
	return f.changeAttrs(attr, 0, func() error { return f.h.RemoveXattr(attr) })
}

func (f *File) changeAttrs(attr string, size int, do func() error) error {
	return f.attrs(attr, size, func() error {
		if f.tree.folder.ReadOnly {
			return ErrReadOnly
		}
		if err := f.content(guard.Change); err != nil {
			return err
		}
		return f.tree.wait(do())
	})
}
