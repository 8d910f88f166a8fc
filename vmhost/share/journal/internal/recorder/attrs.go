package recorder

import (
	"errors"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// GetXattr returns an extended attribute. Only those in the name space "user."
// are offered, here and below; at.ErrUnsupported is for the others.
func (f *Folder) GetXattr(rel, attr string) (value []byte, err error) {
	err = f.xattrs(rel, func(a *at.Attrs) error { value, err = a.Get(attr); return err })
	return value, err
}

// ListXattr returns the names of the extended attributes.
func (f *Folder) ListXattr(rel string) (names []string, err error) {
	err = f.xattrs(rel, func(a *at.Attrs) error { names, err = a.List(); return err })
	return names, err
}

func (f *Folder) xattrs(rel string, do func(*at.Attrs) error) error {
	return f.at(rel, func(p Place) error { return p.xattrs(do) })
}

func (p Place) xattrs(do func(*at.Attrs) error) error {
	a, err := p.Dir.Attrs(p.Name)
	if err != nil {
		return err
	}
	defer a.Close()
	return do(a)
}

// SetXattr sets an extended attribute; flags are at.AttrCreate, at.AttrReplace
// or 0. All attributes of the file are kept before the first is changed.
func (f *Folder) SetXattr(rel, attr string, value []byte, flags int) error {
	if err := at.CheckAttr(attr, len(value)); err != nil {
		return err
	}
	return f.change(rel, func(p Place) error {
		return f.Rec.changeXattr(p, func(a *at.Attrs) error { return setXattr(f.Rec, a, attr, value, flags) })
	})
}

// RemoveXattr removes an extended attribute.
func (f *Folder) RemoveXattr(rel, attr string) error {
	if err := at.CheckAttr(attr, 0); err != nil {
		return err
	}
	return f.change(rel, func(p Place) error {
		return f.Rec.changeXattr(p, func(a *at.Attrs) error { return a.Remove(attr) })
	})
}

// SetXattrs makes the extended attributes of what is at rel those of a set.
func (f *Folder) SetXattrs(rel string, set at.AttrSet) error {
	return f.change(rel, func(p Place) error { return f.Rec.SetXattrs(p, set) })
}

// SetXattrs makes the extended attributes of what is at p those of a set.
func (f *Changer) SetXattrs(p Place, set at.AttrSet) error {
	a, err := p.Dir.Attrs(p.Name)
	if err != nil && len(set) == 0 {
		return nil // it has none then
	}
	if err != nil {
		return err
	}
	defer a.Close()
	now, err := a.All()
	if err != nil || now.Digest() == set.Digest() {
		return err
	}
	return f.changeXattr(p, func(a *at.Attrs) error { return a.SetAll(set) })
}

// setXattr sets an attribute where the file has room for it: undo has to read them all.
func setXattr(f *Changer, a *at.Attrs, attr string, value []byte, flags int) error {
	if f != nil {
		f.attrs.Lock()
		defer f.attrs.Unlock()
	}
	if err := a.Room(attr, value, flags); err != nil {
		return err
	}
	return a.Set(attr, value, flags)
}

func (f *Changer) changeXattr(p Place, do func(*at.Attrs) error) error {
	return p.xattrs(func(a *at.Attrs) error {
		_, err := f.setAttribute(p, false,
			func(o *ledger.Object) error { return f.keepAttrs(o, a, false) },
			func() error { return do(a) })
		return err
	})
}

// SetXattr is [Folder.SetXattr] of the file itself.
func (x *File) SetXattr(attr string, value []byte, flags int) error {
	if err := at.CheckAttr(attr, len(value)); err != nil {
		return err
	}
	return x.changeXattr(func(a *at.Attrs) error { return setXattr(x.folder, a, attr, value, flags) })
}

// RemoveXattr is [Folder.RemoveXattr] of the file itself.
func (x *File) RemoveXattr(attr string) error {
	if err := at.CheckAttr(attr, 0); err != nil {
		return err
	}
	return x.changeXattr(func(a *at.Attrs) error { return a.Remove(attr) })
}

func (x *File) changeXattr(do func(*at.Attrs) error) error {
	a := at.FileAttrs(x.f)
	return x.changeAttribute(false,
		func(o *ledger.Object) error { return x.folder.keepAttrs(o, a, false) },
		func() error { return do(a) })
}

// keepAttrs writes down the attributes that o has, once; o.Keep is held. With some, a file
// without attributes gets no record: its inode is about to go, and a new one has none either.
func (f *keeper) keepAttrs(o *ledger.Object, a *at.Attrs, some bool) error {
	j := f.J
	j.Mu.Lock()
	done := o.Attrs != nil
	j.Mu.Unlock()
	if done {
		return nil
	}
	set, err := a.All()
	if err != nil || some && len(set) == 0 {
		return err
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if err := j.full(2 * int64(set.Size())); err != nil { // they are text in the log
		return err
	}
	_, err = j.Put(ledger.AttrsRecord{Object: o.ID, Attrs: set})
	j.Step("attrs")
	return err
}

// keepDirectory writes down what a directory is besides its mode, its time and
// what is in it.
func (f *keeper) keepDirectory(o *ledger.Object, p Place) error {
	if f.J.known(o).made {
		return nil
	}
	return p.xattrs(func(a *at.Attrs) error {
		o.Keep.Lock()
		defer o.Keep.Unlock()
		return errors.Join(f.keepAttrs(o, a, true), f.keepOwner(o, a))
	})
}

// Digest returns the hash of the attributes of what is at p, "" unless the task
// changed them.
func (j *Recorder) Digest(o *ledger.Object, p Place) string {
	j.Mu.Lock()
	wanted := o.Attrs != nil
	j.Mu.Unlock()
	if !wanted {
		return ""
	}
	a, err := p.Dir.Attrs(p.Name)
	if err != nil {
		return ""
	}
	defer a.Close()
	set, err := a.All()
	if err != nil {
		return ""
	}
	return set.Digest()
}
