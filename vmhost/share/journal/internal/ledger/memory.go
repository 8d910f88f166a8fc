package ledger

// What the tables hold in memory is counted roughly: so many bytes for each thing, as
// TestMemory measures them, and the length of names, targets and attributes.
const (
	objectBytes = 650
	entryBytes  = 300
	undoneBytes = 800
)

// Memory is about how many bytes of memory the tables take. Recorder.Mu is held.
func (t *Ledger) Memory() int64 {
	return int64(len(t.Objects))*objectBytes + int64(len(t.Entries))*entryBytes +
		int64(len(t.Undone))*undoneBytes + t.text
}

// count notes the text that a thing brings into memory, or with -1 takes from it.
func (t *Ledger) count(sign int64, o *Object, e *Entry) {
	n := int64(0)
	if o != nil {
		n += int64(len(o.name) + len(o.Base.Target) + o.Attrs.Size())
		if o.Owner != nil {
			n += int64(o.Owner.Set.Size())
		}
	}
	if e != nil {
		n += int64(len(e.Name))
	}
	t.text += sign * n
}

// drop takes an object out of the tables.
func (t *Ledger) drop(o *Object) {
	t.count(-1, o, nil)
	delete(t.Objects, o.ID)
	if t.Inodes[o.Ident] == o {
		delete(t.Inodes, o.Ident)
	}
}

// dropEntry takes a name out of the tables.
func (t *Ledger) dropEntry(e *Entry) {
	t.count(-1, nil, e)
	delete(t.Entries, e.ID)
	delete(t.Names, Name{e.Dir.ID, e.Name})
}
