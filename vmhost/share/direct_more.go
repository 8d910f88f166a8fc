package share

import (
	"io/fs"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

func (d *direct) GetXattr(rel, attr string) (value []byte, err error) {
	err = d.place(rel, func(p journal.Place) error { value, err = d.change.GetXattr(p, attr); return err })
	return value, err
}

func (d *direct) ListXattr(rel string) (names []string, err error) {
	err = d.place(rel, func(p journal.Place) error { names, err = d.change.ListXattr(p); return err })
	return names, err
}

func (d *direct) SetXattr(rel, attr string, value []byte, flags int) error {
	return d.place(rel, func(p journal.Place) error { return d.change.SetXattr(p, attr, value, flags) })
}

func (d *direct) RemoveXattr(rel, attr string) error {
	return d.place(rel, func(p journal.Place) error { return d.change.RemoveXattr(p, attr) })
}

func (r *reading) GetXattr(attr string) ([]byte, error) { return at.FileAttrs(r.File).Get(attr) }

func (r *reading) ListXattr() ([]string, error) { return at.FileAttrs(r.File).List() }

func (r *reading) SetXattr(string, []byte, int) error { return errNotOpenFor }

func (r *reading) RemoveXattr(string) error { return errNotOpenFor }

func (d *direct) Tmpfile(dir string, perm uint32) (Handle, at.Info, error) {
	x, err := d.root.Dir(dir)
	if err != nil {
		return nil, at.Info{}, err
	}
	defer x.Close()
	w, info, err := d.change.Tmpfile(x, perm)
	if err != nil {
		return nil, info, err
	}
	return &temporary{changing{File: w}}, info, nil
}

// temporary is a file that was made without a name. No other file gets a name
// through its handle: one that was removed may be in the journal.
type temporary struct{ changing }

func (d *direct) LinkFile(h Handle, rel string) (info at.Info, err error) {
	c, ok := h.(*temporary)
	if !ok {
		return info, &fs.PathError{Op: "link", Path: rel, Err: fs.ErrNotExist}
	}
	err = d.place(rel, func(p journal.Place) error { info, err = d.change.LinkFile(c.File, p); return err })
	return info, err
}
