package journal

import (
	"piwork/vmhost/share/internal/at"
)

// Tmpfile makes a file without a name on the file system of a directory, open
// for reading and writing, where the host can. It is the task's own: nothing of
// it is written down until LinkFile gives it a name.
func (f *Folder) Tmpfile(d *at.Dir, perm uint32) (*File, at.Info, error) {
	file, info, err := d.Tmpfile(perm)
	if err != nil {
		return nil, info, err
	}
	return &File{f: file, folder: f}, info, nil
}

// LinkFile gives a file of Tmpfile a name, as the creation of a file. It fails
// when the name is taken.
func (f *Folder) LinkFile(x *File, p Place) (at.Info, error) {
	if f.j == nil {
		if err := p.Dir.LinkFile(x.f, p.Name); err != nil {
			return at.Info{}, err
		}
		return at.Stat(x.f)
	}
	var info at.Info
	err := f.add(p, func() (err error) {
		if err = p.Dir.LinkFile(x.f, p.Name); err == nil {
			info, err = at.Stat(x.f)
		}
		return err
	}, func(dir *object, e *entry) error {
		if o := x.obj.Load(); o != nil { // it has a name already
			if _, err := f.j.put(record{K: recCur, E: e.id, O: o.id}); err != nil {
				return err
			}
			return f.resign(o, info)
		}
		o, err := f.made(dir, e, info, "")
		if err == nil {
			o.writers++
			x.obj.Store(o)
		}
		return err
	})
	return info, err
}
