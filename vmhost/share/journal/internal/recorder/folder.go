package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal/internal/ledger"
)

// ErrRaced says that the folder was changed from outside in the middle of an
// operation, which was not done. To the guest it is ESTALE.
var ErrRaced = errors.New("the folder was changed from outside at the same time")

// ErrSpecial refuses to remove or change what could not be put back: devices,
// FIFOs and sockets. To the guest it is EPERM.
var ErrSpecial = at.ErrSpecial

// Folder changes one shared folder, each change written down before it is
// made. Without a journal (see [Unrecorded]) it only makes the changes. Its
// methods may be called from several goroutines at once.
type Folder struct {
	root *at.Root
	Rec  *Changer // nil: not recorded
	once sync.Once
}

// Changer makes changes at places of a folder, each written down before it is made.
// A nil one only makes them.
type Changer struct {
	keeper
	Root  *at.Root
	Table *ledger.Folder

	// gate is held for reading by every change and for writing by an undo.
	gate sync.RWMutex
	// names is held by changes of names, one at a time, so that what is at a
	// name cannot become something else between being kept and being replaced.
	names  sync.Mutex
	attrs  sync.Mutex // held while an attribute is set, and before that its room looked at
	silent bool       // nobody is asked for room
	sealed atomic.Bool
}

// keeper keeps what a change destroys.
type keeper struct {
	J *Recorder
	// noClone is set when the two file systems cannot share blocks.
	noClone atomic.Bool
	// noRefs is set when the journal lies on another file system.
	NoRefs bool
	lazy   bool // waits for no disk; see Recorder.Executor
	lossy  bool // goes on without room
	syncs  bool // makes the content of a file durable that it takes in: the task may have made it a moment ago
}

// NewChanger returns what changes a folder; a silent one asks nobody for room.
func NewChanger(j *Recorder, root *at.Root, table *ledger.Folder, silent bool) *Changer {
	return &Changer{keeper: keeper{J: j}, Root: root, Table: table, silent: silent}
}

// Unrecorded returns a Folder whose changes are not written down: for what
// belongs to a task and not to a person, and for what cannot be changed.
func Unrecorded(root *at.Root) *Folder { return &Folder{root: root.Retain()} }

// Folder returns the handle to change the folder with this id, which stays
// the same for the life of the task. It holds root open until it is closed.
func (j *Recorder) Folder(id string, root *at.Root) (*Folder, error) {
	if id == "" {
		return nil, errors.New("journal: a folder needs an id")
	}
	top, err := root.Dir(".")
	if err != nil {
		return nil, err
	}
	top.CopyUp(".", j.knows)
	info, err := top.Info()
	if err != nil {
		return nil, err
	}
	ctx, done, err := j.Alone(context.Background())
	if err != nil {
		return nil, err
	}
	defer done()
	if err := j.Settled(ctx); err != nil {
		return nil, err
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if j.Closed {
		return nil, ErrClosed
	}
	if j.live[id] != nil {
		return nil, fmt.Errorf("journal: folder %s is open already", id)
	}
	if t := j.Tables.Folders[id]; t != nil && t.Root.Ident.Other(info.ID) {
		return nil, &fs.PathError{Op: "open", Path: root.Path(), Err: at.ErrMoved} // else undo would write there
	}
	s := ledger.StateOf(info)
	pos, err := j.Put(ledger.FolderRecord{ID: id, Folder: j.Tables.LastF + 1, Root: j.Tables.LastO + 1,
		Path: []byte(root.Path()), Inode: &info.ID, State: &s})
	if err != nil {
		return nil, err
	}
	if err := j.File.Sync(pos); err != nil {
		return nil, err
	}
	root = root.Retain()
	f := &Folder{root: root, Rec: NewChanger(j, root, j.Tables.Folders[id], false)}
	j.live[id] = f
	return f, nil
}

// Seal has nothing changed any more, also by calls under way, which may have waited for a drive
// for an hour: what they kept and wrote down meanwhile is harmless. What the operating system
// is doing already was written down before.
func (f *Folder) Seal() {
	if f.Rec != nil && !f.Rec.sealed.Swap(true) {
		f.Rec.J.sealed.Add(1) // the journal is open until Close: what such calls did is written down
	}
}

// unsealed is asked right before each change.
func unsealed(f *Changer) error {
	if f.sealed.Load() {
		return store.ErrGone
	}
	return nil
}

// Close ends the use of the folder. What it recorded stays.
func (f *Folder) Close() {
	defer f.once.Do(func() {
		f.root.Close()
		if f.Rec != nil && f.Rec.sealed.Load() {
			f.Rec.J.sealed.Done()
		}
	})
	if f.Rec == nil {
		return
	}
	f.Rec.gate.Lock()
	defer f.Rec.gate.Unlock()
	f.Rec.J.Mu.Lock()
	defer f.Rec.J.Mu.Unlock()
	if f.Rec.J.live[f.Rec.Table.ID] == f {
		delete(f.Rec.J.live, f.Rec.Table.ID)
	}
}

// Enter begins a change of names; the returned function ends it.
func (f *Changer) Enter() func() {
	f.gate.RLock()
	f.names.Lock()
	f.J.Busy()
	return func() {
		f.names.Unlock()
		f.gate.RUnlock()
	}
}

// Directory returns the object of the directory that p is in, writing down it
// and its parents when the task comes here for the first time.
func (f *Changer) Directory(p Place) (*ledger.Object, error) {
	p.Dir.CopyUp(".", f.J.knows)
	info, err := p.Dir.Info()
	if err != nil {
		return nil, err
	}
	f.J.Mu.Lock()
	o := f.J.Tables.Inodes[info.ID]
	here := false // a person may have moved it, or one that it is in
	if o != nil && o.Kind == at.Directory && o.Folder == f.Table {
		rel, ok := f.J.Tables.DirPath(o)
		here = ok && rel == p.Path
	}
	f.J.Mu.Unlock()
	if here {
		return o, nil
	}
	if len(p.Path) > ledger.MaxPathLen {
		return nil, &fs.PathError{Op: "open", Path: path.Base(p.Path), Err: at.ErrName}
	}
	return f.chain(p, info.ID)
}

func (f *Changer) chain(p Place, want at.ID) (*ledger.Object, error) {
	parent := f.Table.Root
	cur, err := f.Root.Dir(".")
	if err != nil {
		return nil, err
	}
	defer func() { cur.Close() }()
	if err := f.meetRoot(cur); err != nil {
		return nil, err
	}
	if p.Path != "." {
		for name := range strings.SplitSeq(p.Path, "/") {
			own := cur.OwnName(name) // however the guest spells it
			next, err := cur.Sub(name)
			if err != nil {
				return nil, err
			}
			cur.Close()
			cur = next
			if parent, err = f.meetDir(parent, own, next); err != nil {
				return nil, err
			}
		}
	}
	if parent.Ident != want {
		return nil, fmt.Errorf("%s: %w", p.Path, ErrRaced)
	}
	return parent, nil
}

// meetRoot notes what the top of the folder is now. Whatever that says, it is the same: it is open.
func (f *Changer) meetRoot(top *at.Dir) error {
	info, err := top.Info()
	if err != nil {
		return err
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	if info.ID != f.Table.Root.Ident {
		_, err = f.J.Put(ledger.InodeRecord{Object: f.Table.Root.ID, Inode: &info.ID})
	}
	return err
}

// knows reports whether id is that of something that was written down.
func (j *Recorder) knows(id at.ID) bool {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Tables.Inodes[id] != nil
}

func (f *Changer) meetDir(parent *ledger.Object, name string, d *at.Dir) (*ledger.Object, error) {
	d.CopyUp(".", f.J.knows)
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	return f.meet(parent, name, info, "")
}

// meet returns the object that is at a name, writing it down as it is when the
// task meets it for the first time, and noticing when a person changed it since
// the task did. j.Mu is held, since before info was asked for: what the task
// itself does to the object at the same time is not taken for a person's work.
func (f *Changer) meet(dir *ledger.Object, name string, info at.Info, target string) (*ledger.Object, error) {
	o, err := identify(f, dir, name, info, target)
	if err != nil || o.Made || !dir.Made {
		return o, err
	}
	if e := f.J.Tables.Names[ledger.Name{Dir: dir.ID, Name: name}]; e != nil && !slices.Contains(e.Bases, o) {
		return o, nil // the task moved it there
	}
	return o, adoptDirs(f, dir)
}

func identify(f *Changer, dir *ledger.Object, name string, info at.Info, target string) (*ledger.Object, error) {
	t := f.J.Tables
	key := ledger.Name{Dir: dir.ID, Name: name}
	e := t.Names[key]
	now := ledger.StateOf(info)
	now.Target = ledger.Raw(target)
	o := t.Inodes[info.ID]
	if o != nil && (o.Kind != info.Kind || o.Folder != f.Table || !t.Alive(o) && info.Born == 0) {
		o = nil // the number was given out again
	}
	if o == nil {
		// Some file systems give things other numbers each time they load them.
		here := t.Homes[key]
		if e != nil {
			here = e.Cur
		}
		if here != nil && here.Kind == info.Kind && (info.Kind == at.File && here.Last.SameData(now) || info.Kind == at.Directory && here.Ident.Same(info.ID)) {
			_, err := f.J.Put(ledger.InodeRecord{Object: here.ID, Inode: &info.ID})
			return here, err
		}
		return f.introduce(dir, name, e, info, now)
	}
	_, _, named := t.Spot(o)
	moved := named && (info.NLink == 1 || o.Kind == at.Directory) && !t.Means(key, o) && t.Settled(e, o)
	var recs []ledger.Record
	switch {
	case o.Kind == at.File && metChanged(f.J, o, now):
		recs = rebased(o, info, now)
	case moved && o.Made: // what the task made and a person moved is theirs
		readyAgain(o)
		recs = rebased(o, info, now)
	case !moved && (e != nil || named || o.Made):
		return o, nil
	}
	if moved {
		recs = append(recs, movedHere(t, o, key)...)
	} else if e != nil && (o.Made || e.Cur != o || info.NLink == 1) {
		recs = append(recs, ledger.AdoptRecord{Entry: e.ID, Object: o.ID})
	} else if !named { // its other names are gone; this one was not known until now
		recs = append(recs, ledger.HomeRecord{Object: o.ID, Dir: dir.ID, Name: []byte(name)})
	}
	if _, err := f.J.Put(recs...); err != nil {
		return nil, err
	}
	return o, f.J.SignAgain(o, info) // where it lost a name nobody could
}

// movedHere are the records that a person moved what the task comes near: undo leaves it where they put it.
// A file that had several names gets those back that the task removed. Example: the task moved a to b, they
// moved b to c; then a and b are nobody's any more.
func movedHere(t *ledger.Ledger, o *ledger.Object, key ledger.Name) []ledger.Record {
	recs := []ledger.Record{ledger.HomeRecord{Object: o.ID, Dir: key.Dir, Name: []byte(key.Name)}}
	e := t.Names[key]
	if e != nil {
		recs[0] = ledger.AdoptRecord{Entry: e.ID, Object: o.ID}
	}
	for _, old := range o.Spots {
		recs = append(recs, ledger.BindRecord{Entry: old.ID})
	}
	for _, old := range o.Origins() {
		if old != e && o.Base.Links < 2 {
			recs = append(recs, ledger.AcceptRecord{Entry: old.ID, Object: o.ID})
		}
	}
	return recs
}

// introduce writes down an object that the task meets for the first time.
func (f *Changer) introduce(dir *ledger.Object, name string, e *ledger.Entry, info at.Info, now ledger.State) (*ledger.Object, error) {
	if err := f.J.full(0); err != nil && !f.lossy {
		return nil, err
	}
	t := f.J.Tables
	r := ledger.ObjectRecord{Object: t.LastO + 1, Dir: dir.ID, Name: []byte(name), Inode: &info.ID, Kind: info.Kind.String(), State: &now}
	recs := []ledger.Record{r}
	if e != nil {
		recs = append(recs, ledger.AdoptRecord{Entry: e.ID, Object: r.Object})
	}
	_, err := f.J.Put(recs...)
	return t.Objects[r.Object], err
}

// adoptDirs makes a directory that the task made the person's, with those around it: something of
// theirs has its place there. Else nothing would bring the directory back when the task removes it,
// and undo would remove it itself. Where the person had a directory of that name before, what is
// theirs belongs into that (ledger.Ledger.WaitingDir). j.Mu is held.
func adoptDirs(f *Changer, d *ledger.Object) error {
	for d.Made && len(d.Spots) > 0 {
		s := d.Last
		if rel, ok := f.J.Tables.DirPath(d); ok {
			if now, err := f.Root.Lstat(rel); err == nil && now.ID == d.Ident {
				s = ledger.StateOf(now)
			}
		}
		e := d.Place()
		if f.J.Tables.WaitingDir(e, d) != nil {
			return nil
		}
		if _, err := f.J.Put(ledger.RebaseRecord{Object: d.ID, Inode: &d.Ident, State: &s, Gen: d.Gen},
			ledger.AdoptRecord{Entry: e.ID, Object: d.ID}); err != nil {
			return err
		}
		d = e.Dir
	}
	return nil
}

// TouchName writes down that a name is about to change its meaning from o (nil
// when there is nothing). j.Mu is held.
func (f *Changer) TouchName(dir *ledger.Object, name string, o *ledger.Object) (*ledger.Entry, error) {
	t := f.J.Tables
	if e := t.Names[ledger.Name{Dir: dir.ID, Name: name}]; e != nil {
		if e.Cur != nil && e.Cur != o {
			e.Cur.Astray = true // a person moved it
		}
		if !e.Sure {
			return e, nil
		}
		_, err := f.J.Put(ledger.TouchRecord{Entry: e.ID})
		return e, err
	}
	if err := f.J.full(0); err != nil && !f.lossy {
		return nil, err
	}
	r := ledger.EntryRecord{Entry: t.LastE + 1, Dir: dir.ID, Name: []byte(name)}
	if o != nil {
		r.Object = o.ID
	}
	_, err := f.J.Put(r)
	return t.Entries[r.Entry], err
}
