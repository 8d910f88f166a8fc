package journal

import (
	"io/fs"
	"sync"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// where returns the directory and the name of o on the disk. The caller closes
// the directory.
func (u *site) where(o *ledger.Object) (*at.Dir, string, error) {
	dir, name, ok := u.j.Spot(o)
	if !ok {
		return nil, "", fs.ErrNotExist
	}
	if dir == nil { // a folder itself
		d, err := u.dir(o)
		return d, ".", err
	}
	d, err := u.dir(dir)
	return d, name, err
}

// source returns where the object that is to be placed is now: for a move the
// name that it has and had not before, else any.
func (u *site) source(i *item) (*at.Dir, string, error) {
	if i.Change.Effect != EffectMove {
		return u.where(i.Place)
	}
	e := u.j.Gained(i.Place)
	if e == nil {
		return nil, "", fs.ErrNotExist
	}
	d, err := u.dir(e.Dir)
	return d, e.Name, err
}

// dir opens a directory where the task left it, or undo put it. The caller closes it.
func (u *site) dir(o *ledger.Object) (*at.Dir, error) {
	u.j.Mu.Lock()
	rel, ok := u.j.Tables.DirPath(o)
	u.j.Mu.Unlock()
	root := u.r.Open[o.Folder]
	if !ok || root == nil {
		return nil, fs.ErrNotExist
	}
	return u.last.open(root, rel)
}

// lastDir is the directory that was opened last, which stays open: most of what undo comes to next
// lies in it, too. Who moves it meanwhile moves what undo does in it along.
type lastDir struct {
	mu   sync.Mutex
	root *at.Root
	rel  string
	d    *at.Dir
}

func (l *lastDir) open(root *at.Root, rel string) (*at.Dir, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.d != nil && l.root == root && l.rel == rel {
		return l.d.Retain(), nil
	}
	d, err := root.Dir(rel)
	if err == nil {
		l.close()
		l.root, l.rel, l.d = root, rel, d.Retain()
	}
	return d, err
}

// drop has the next one be looked for by its path: at the end of each part of an undo, and when that
// did something to the name of a directory.
func (l *lastDir) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
}

func (l *lastDir) close() {
	if l.d != nil {
		l.d.Close()
	}
	l.d = nil
}

// namesDirectory reports whether a record is about what undo did to the name of a directory; j.Mu is held.
func (u *site) namesDirectory(r ledger.Record) bool {
	bind, ok := r.(ledger.BindRecord)
	is := func(o *ledger.Object) bool { return o != nil && o.Kind == at.Directory }
	e := u.j.Tables.Entries[bind.Entry]
	return ok && (is(u.j.Tables.Objects[bind.Object]) || e != nil && is(e.Cur))
}
