package recorder

import (
	"slices"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Nothing is written down for the questions below.

// met returns the object that info is of, nil when the task did not come near it.
// j.Mu is held.
func (f *Changer) met(info at.Info) *ledger.Object {
	if o := f.J.Tables.Inodes[info.ID]; o != nil && o.Kind == info.Kind && o.Folder == f.Table {
		return o
	}
	return nil
}

// Original reports whether what is at rel was there before the task, and not made
// by it.
func (f *Folder) Original(rel string) (bool, error) {
	info, err := f.root.Lstat(rel)
	if err != nil || f.Rec == nil {
		return err == nil, err
	}
	f.Rec.J.Mu.Lock()
	defer f.Rec.J.Mu.Unlock()
	o := f.Rec.met(info)
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
	j := x.folder.J
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if j.Tables.Inodes[info.ID] == nil {
		return info.NLink > 0, nil
	}
	o := x.folder.met(info)
	return o == nil || !o.Made, nil
}

// AsLeft reports whether what is at rel is as the last change through this journal
// left it, also one in the middle of which the program died.
func (f *Folder) AsLeft(rel string) (bool, error) {
	info, err := f.root.Lstat(rel)
	if err != nil || f.Rec == nil {
		return false, err
	}
	f.Rec.J.Mu.Lock()
	defer f.Rec.J.Mu.Unlock()
	o := f.Rec.met(info)
	if o == nil {
		return false, nil
	}
	after := f.Rec.J.Tables.After(o, nil)
	return !after.Lost && after.SameData(ledger.StateOf(info)), nil
}

// Taken reports whether the name, which need not mean anything now, meant a
// person's directory before the task made something else of it, or lies in a
// directory of the task's own at such a name.
func (f *Folder) Taken(rel string) (taken bool, err error) {
	if f.Rec == nil || rel == "." {
		return false, nil
	}
	err = f.at(rel, func(p Place) error { taken, err = f.Rec.taken(p); return err })
	return taken, err
}

func (f *Changer) taken(p Place) (bool, error) {
	info, err := p.Dir.Info()
	if err != nil {
		return false, err
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	t := f.J.Tables
	dir := t.Inodes[info.ID]
	if dir == nil || dir.Folder != f.Table {
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
