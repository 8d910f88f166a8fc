package journal

import (
	"slices"

	"piwork/vmhost/share/internal/at"
)

// Nothing is written down for the questions below.

// met returns the object that info is of, nil when the task did not come near it.
// j.mu is held.
func (f *Folder) met(info at.Info) *object {
	if o := f.j.tables.inodes[info.ID]; o != nil && o.kind == info.Kind && o.folder == f.table {
		return o
	}
	return nil
}

// Original reports whether what is at rel was there before the task, and not made
// by it.
func (f *Folder) Original(rel string) (bool, error) {
	info, err := f.root.Lstat(rel)
	if err != nil || f.j == nil {
		return err == nil, err
	}
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	o := f.met(info)
	return o == nil || !o.made, nil
}

// Original reports whether the file was there before the task, whatever its
// names are by now. What has no name and is not known was made by the task, or
// is lost to the person already.
func (x *File) Original() (bool, error) {
	info, err := at.Stat(x.f)
	if err != nil || x.folder == nil {
		return true, err
	}
	j := x.folder.j
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tables.inodes[info.ID] == nil {
		return info.NLink > 0, nil
	}
	o := x.folder.met(info)
	return o == nil || !o.made, nil
}

// AsLeft reports whether what is at rel is as the last change through this journal
// left it, also one in the middle of which the program died.
func (f *Folder) AsLeft(rel string) (bool, error) {
	info, err := f.root.Lstat(rel)
	if err != nil || f.j == nil {
		return false, err
	}
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	o := f.met(info)
	if o == nil {
		return false, nil
	}
	after := f.j.tables.after(o, nil)
	return !after.Lost && after.sameData(stateOf(info)), nil
}

// Taken reports whether the name, which need not mean anything now, meant a
// person's directory before the task made something else of it, or lies in a
// directory of the task's own at such a name.
func (f *Folder) Taken(rel string) (taken bool, err error) {
	if f.j == nil || rel == "." {
		return false, nil
	}
	err = f.at(rel, func(p place) error { taken, err = f.taken(p); return err })
	return taken, err
}

func (f *Folder) taken(p place) (bool, error) {
	info, err := p.Dir.Info()
	if err != nil {
		return false, err
	}
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	t := f.j.tables
	dir := t.inodes[info.ID]
	if dir == nil || dir.folder != f.table {
		return false, nil
	}
	e := t.names[nameKey{dir.id, p.Name}]
	for range maxPathLen {
		switch {
		case e != nil && slices.ContainsFunc(e.bases, func(o *object) bool { return o.kind == at.Directory && o != e.cur }):
			return true, nil
		case !dir.made || len(dir.spots) == 0:
			return false, nil
		}
		e = dir.place()
		dir = e.dir
	}
	return false, nil
}
