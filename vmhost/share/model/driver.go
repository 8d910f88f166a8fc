package model

import (
	"errors"
	"fmt"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
)

// Driver is the task: what it does to a folder, it does through this.
type Driver interface {
	// Open opens what is at a path for changing and keeps that as the handle with this label.
	Open(label, path string) error
	// Do does the i-th step. With a label it keeps the handle to a file that it makes.
	Do(s Step, i int, label string, before state, kind byte) error
	// Close closes the handles that are open.
	Close() error
}

// StoreDriver is a task at a store, without a front end.
type StoreDriver struct {
	Store   store.Store
	handles map[string]store.Handle
}

// Open implements Driver.
func (d *StoreDriver) Open(label, path string) error {
	h, _, err := d.Store.Open(path, true)
	if err == nil {
		d.keep(label, h)
	}
	return err
}

func (d *StoreDriver) keep(label string, h store.Handle) {
	if d.handles == nil {
		d.handles = map[string]store.Handle{}
	}
	d.handles[label] = h
}

// Close implements Driver.
func (d *StoreDriver) Close() error {
	var err error
	for _, h := range d.handles {
		err = errors.Join(err, h.Close())
	}
	d.handles = nil
	return err
}

// changer is what an open file and a path have in common.
type changer struct {
	meta  func(at.Meta) error
	xattr func(name string, value []byte) error
}

// Do implements Driver.
func (d *StoreDriver) Do(s Step, i int, label string, before state, kind byte) error {
	if s.Handle {
		h := d.handles[s.A]
		if h == nil {
			return fmt.Errorf("no handle %q", s.A)
		}
		return d.content(h, s, i, before, kind)
	}
	f := d.Store
	c := changer{
		meta:  func(m at.Meta) error { _, err := f.SetMeta(s.A, m); return err },
		xattr: func(name string, value []byte) error { return f.SetXattr(s.A, name, value, 0) },
	}
	switch s.Verb {
	case "create":
		h, _, err := f.Create(s.A, 0o644)
		if err != nil {
			return err
		}
		_, err = h.WriteAt([]byte(madeData(i)), 0)
		if err == nil && label != "" {
			d.keep(label, h)
			return nil
		}
		return errors.Join(err, h.Close())
	case "write", "trunc", "append":
		h, _, err := f.Open(s.A, true)
		if err != nil {
			return err
		}
		return errors.Join(d.content(h, s, i, before, kind), h.Close())
	case "rename":
		return f.Rename(s.A, s.B, false)
	case "link":
		_, err := f.Link(s.A, s.B)
		return err
	case "unlink":
		return f.Remove(s.A)
	case "rmdir":
		return f.RemoveDir(s.A)
	case "mkdir":
		_, err := f.Mkdir(s.A, 0o755)
		return err
	case "symlink":
		_, err := f.Symlink(overData(i), s.A)
		return err
	}
	return c.attribute(s, i, before, kind)
}

func (d *StoreDriver) content(h store.Handle, s Step, i int, before state, kind byte) error {
	switch s.Verb {
	case "write":
		_, err := h.WriteAt([]byte(overData(i)), 0)
		return err
	case "append":
		info, err := h.Stat()
		if err == nil {
			_, err = h.WriteAt([]byte(moreData(i)), info.Size)
		}
		return err
	case "trunc":
		return h.Truncate(int64(cutTo(before)))
	}
	c := changer{meta: h.SetMeta, xattr: func(name string, value []byte) error { return h.SetXattr(name, value, 0) }}
	return c.attribute(s, i, before, kind)
}

func (c changer) attribute(s Step, i int, before state, kind byte) error {
	switch s.Verb {
	case "chmod":
		mode := otherMode(before, kind)
		return c.meta(at.Meta{Mode: &mode})
	case "xattr":
		return c.xattr(attribute, []byte(overData(i)))
	case "utimes":
		return c.meta(at.Meta{MTime: time.Unix(0, stepTime(i))})
	}
	return fmt.Errorf("no task can %q", s.Verb)
}
