package journal

import (
	"slices"

	"piwork/vmhost/share/internal/at"
)

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

// Taken reports whether the name, which need not mean anything now, meant a
// person's directory before the task made something else of it, or lies in a
// directory of the task's own at such a name. Nothing is written down.
func (f *Folder) Taken(p Place) (bool, error) {
	if f.j == nil || p.Name == "." {
		return false, nil
	}
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
