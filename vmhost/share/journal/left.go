package journal

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
