package journal

import (
	"slices"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Nothing is written down for the questions below.

// met returns the object that info is of, nil when the task did not come near it.
// j.mu is held.
func (f *Folder) met(info at.Info) *ledger.Object {
	if o := f.j.tables.Inodes[info.ID]; o != nil && o.Kind == info.Kind && o.Folder == f.table {
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
	return o == nil || !o.Made, nil
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
	if j.tables.Inodes[info.ID] == nil {
		return info.NLink > 0, nil
	}
	o := x.folder.met(info)
	return o == nil || !o.Made, nil
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
	after := f.j.tables.After(o, nil)
	return !after.Lost && after.SameData(ledger.StateOf(info)), nil
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
	dir := t.Inodes[info.ID]
	if dir == nil || dir.Folder != f.table {
		return false, nil
	}
	e := t.Names[ledger.Name{Dir: dir.ID, Name: p.Name}]
	for range ledger.MaxPathLen {
		switch {
		case e != nil && slices.ContainsFunc(e.Bases, func(o *ledger.Object) bool { return o.Kind == at.Directory && o != e.Cur }):
			return true, nil
		case !dir.Made || len(dir.Spots) == 0:
			return false, nil
		}
		e = dir.Place()
		dir = e.Dir
	}
	return false, nil
}
