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
