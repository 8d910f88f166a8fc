package journal

import "piwork/vmhost/share/internal/at"

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
	o := j.tables.inodes[info.ID]
	if o == nil {
		return info.NLink > 0, nil
	}
	return !o.made || o.kind != info.Kind || o.folder != x.folder.table, nil
}

// AsLeft reports whether what is at p is as the last change through this journal left
// it, also one in the middle of which the program died.
func (f *Folder) AsLeft(p Place) (bool, error) {
	info, err := p.lstat()
	if err != nil || f.j == nil {
		return false, err
	}
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	t := f.j.tables
	o := t.inodes[info.ID]
	if o == nil || o.kind != info.Kind || o.folder != f.table {
		return false, nil
	}
	after := t.after(o, nil)
	return !after.Lost && after.sameData(stateOf(info)), nil
}
