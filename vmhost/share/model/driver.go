package model

import (
	"errors"
	"fmt"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal"
)

// Driver carries out the steps of a task in a folder.
type Driver interface {
	// Open opens the file at a path for changing and keeps that as the handle with this label.
	Open(label, path string) error
	// Do does a step.
	Do(w Work) error
	// Close closes the handles that are open.
	Close() error
	// End ends the use of the folder.
	End()
}

// Work is a step with what it makes.
type Work struct {
	Step
	Label string    // of the handle to a file that is made, "" is closed at once
	Data  string    // written at the beginning or the end, the value of the attribute, or the target
	Size  int64     // to truncate to
	Mode  uint32    //
	Time  time.Time //
}

// workOf is the i-th step, of a node that was was.
func workOf(s Step, i int, was state, kind byte) Work {
	w := Work{Step: s, Data: overData(i), Size: int64(cutTo(was)), Mode: otherMode(was, kind), Time: time.Unix(0, stepTime(i))}
	switch s.Verb {
	case "create":
		w.Data = madeData(i)
	case "append":
		w.Data = moreData(i)
	}
	return w
}

// storeDriver is a task at the recorder, without a front end.
type storeDriver struct {
	root    *at.Root
	folder  *journal.Folder
	handles map[string]store.Handle
}

func driveStore(j *journal.Journal, top string) (Driver, error) {
	root, err := at.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	f, err := j.Folder("f", root)
	if err != nil {
		root.Close()
		return nil, err
	}
	return &storeDriver{root: root, folder: f, handles: map[string]store.Handle{}}, nil
}

func (d *storeDriver) Open(label, path string) error {
	h, _, err := d.folder.Open(path, true)
	if err == nil {
		d.handles[label] = h
	}
	return err
}

func (d *storeDriver) Close() error {
	var err error
	for _, h := range d.handles {
		err = errors.Join(err, h.Close())
	}
	clear(d.handles)
	return err
}

func (d *storeDriver) End() {
	d.folder.Close()
	d.root.Close()
}

func (d *storeDriver) Do(w Work) error {
	f := d.folder
	switch w.Verb {
	case "create":
		h, _, err := f.Create(w.A, 0o644)
		if err != nil {
			return err
		}
		_, err = h.WriteAt([]byte(w.Data), 0)
		if err == nil && w.Label != "" {
			d.handles[w.Label] = h
			return nil
		}
		return errors.Join(err, h.Close())
	case "rename":
		return f.Rename(w.A, w.B, false)
	case "link":
		_, err := f.Link(w.A, w.B)
		return err
	case "unlink":
		return f.Remove(w.A)
	case "rmdir":
		return f.RemoveDir(w.A)
	case "mkdir":
		_, err := f.Mkdir(w.A, 0o755)
		return err
	case "symlink":
		_, err := f.Symlink(w.Data, w.A)
		return err
	}
	if w.Handle {
		h := d.handles[w.A]
		if h == nil {
			return fmt.Errorf("no handle %q", w.A)
		}
		return through(h, w)
	}
	switch w.Verb {
	case "chmod":
		_, err := f.SetMeta(w.A, at.Meta{Mode: &w.Mode})
		return err
	case "utimes":
		_, err := f.SetMeta(w.A, at.Meta{MTime: w.Time})
		return err
	case "xattr":
		return f.SetXattr(w.A, Attribute, []byte(w.Data), 0)
	}
	h, _, err := f.Open(w.A, true)
	if err != nil {
		return err
	}
	return errors.Join(through(h, w), h.Close())
}

// through does a step through an open file.
func through(h store.Handle, w Work) error {
	switch w.Verb {
	case "write":
		_, err := h.WriteAt([]byte(w.Data), 0)
		return err
	case "append":
		info, err := h.Stat()
		if err == nil {
			_, err = h.WriteAt([]byte(w.Data), info.Size)
		}
		return err
	case "trunc":
		return h.Truncate(w.Size)
	case "chmod":
		return h.SetMeta(at.Meta{Mode: &w.Mode})
	case "utimes":
		return h.SetMeta(at.Meta{MTime: w.Time})
	case "xattr":
		return h.SetXattr(Attribute, []byte(w.Data), 0)
	}
	return fmt.Errorf("no task can %q", w.Verb)
}
