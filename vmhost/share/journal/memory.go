package journal

// What the tables hold in memory is counted roughly: so many bytes for each thing, as
// TestMemory measures them, and the length of names, targets and attributes.
const (
	objectBytes = 650
	entryBytes  = 300
	keptBytes   = 1500
	undoneBytes = 800
)

// memory is about how many bytes of memory the tables take. Journal.mu is held.
func (t *tables) memory() int64 {
	return int64(len(t.objects))*objectBytes + int64(len(t.entries))*entryBytes +
		int64(len(t.keeps))*keptBytes + int64(len(t.undone))*undoneBytes + t.text
}

// count notes the text that a thing brings into memory, or with -1 takes from it.
func (t *tables) count(sign int64, o *object, e *entry) {
	n := int64(0)
	if o != nil {
		n += int64(len(o.name) + len(o.base.Target) + o.attrs.Size())
		if o.owner != nil {
			n += int64(o.owner.Set.Size())
		}
	}
	if e != nil {
		n += int64(len(e.name))
	}
	t.text += sign * n
}

// drop takes an object out of the tables.
func (t *tables) drop(o *object) {
	t.count(-1, o, nil)
	delete(t.objects, o.id)
	if t.inodes[o.ident] == o {
		delete(t.inodes, o.ident)
	}
}

// dropEntry takes a name out of the tables.
func (t *tables) dropEntry(e *entry) {
	t.count(-1, nil, e)
	delete(t.entries, e.id)
	delete(t.names, nameKey{e.dir.id, e.name})
}
