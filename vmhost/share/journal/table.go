package journal

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
)

// tables is what the records say, all of it in memory. apply is the only way
// to change it, so that reading the log gives what was there before.
type tables struct {
	id       string
	secret   []byte // of the marks in the log
	text     int64  // bytes of names and the like in memory
	folders  map[string]*folderTable
	objects  map[uint32]*object
	entries  map[uint32]*entry
	names    map[nameKey]*entry // touched names
	homes    map[nameKey]*object
	inodes   map[at.ID]*object
	lastO    uint32
	lastE    uint32
	lastF    uint32
	lastT    time.Time // of the newest record
	lastOp   time.Time // of the newest one about a change in a folder
	undoing  bool      // an undo has begun and not ended
	undoIDs  []string
	answers  UndoOptions // of the undo that has begun
	undoTime time.Time
	undoLast time.Time        // when the one that has begun was known to be at work
	theirs   map[*object]bool // directories that a person had changed when it came to them
	undone   map[string]Change
	keeps    map[string]*kept // by id of the change: undone ones, and those that an undo is at
	redoIDs  []string         // a redo has begun with these and not ended
	reborn   map[uint32]uint32
	clean    bool // the last record says that the journal was closed
}

// folderTable is a shared folder.
type folderTable struct {
	num  uint32
	id   string
	path string
	root *object
}

// object is an inode that the task came near.
type object struct {
	id     uint32
	folder *folderTable
	parent *object // with name: where it was when it was first seen
	name   string
	dir    *object // with alias: a name of it that the task never changed, if home
	alias  string
	ident  at.ID
	kind   at.Kind
	made   bool  // by the task; otherwise base and home are the person's
	base   state // what undo goes back to
	image  *image
	// ahead is up to where in the log everything stands that is needed to bring
	// it back, although the task has not come near it: see keepAhead. 0: no.
	ahead   int64
	streak  int        // of a directory: how often a file in it was waited for
	reach   int        // of a directory: how many files were kept ahead last
	attrs   at.AttrSet // extended attributes before, nil while the task changed none
	owner   *at.Owner  // before; nil when a new file is the same by itself, or nobody knows
	ref     uint32     // generation of refs/O.G, 0 without one
	gen     uint32     // of the newest image or reference
	spots   []*entry   // names that mean it now
	origins []*entry   // touched names that meant it before the task

	rewriting bool // undo writes into its inode
	touch     touch
	times     bool  // its times were set on purpose
	suspect   bool  // kept ahead, and the program died: perhaps changed since
	doubtful  bool  // kept ahead, and the program died: perhaps deleted since
	stale     bool  // touchOpen since before the journal was opened: the program died
	last      state // as last known, to notice what a person does in between
	after     state // valid when touch is touchDone

	keep    sync.Mutex // held while the content is copied into the journal
	writers int        // open files that may change it, guarded by Journal.mu
}

// touch says how much is known of what the task did to an object.
type touch uint8

const (
	touchNone  touch = iota // as in base
	touchOpen               // being changed, or the program died while it was
	touchQuiet              // changed; last is how the task left it
	touchDone               // changed; after is how the task left it, with its hash
)

// image is the content of a file before its first change.
type image struct {
	gen  uint32
	size int64
	sum  string
	at   int64 // in the log when > 0, else in images/O.G
	// parts says that the file in images/ has only what the task was about to
	// change; loaded is what it has, once somebody asked.
	parts  bool
	loaded *parts
	ahead  bool // kept before the task came near the file
}

// entry is a name whose meaning the task changed.
type entry struct {
	id    uint32
	dir   *object
	name  string
	bases []*object // what it meant; more than one when a person put things there
	cur   *object   // what it means now, as far as the task is concerned
	sure  bool      // cur is what the task made of it; else the disk knows
	stale bool      // not sure since before the journal was opened
	// suspect says that the program died since: it may have put something else
	// there, of the task's own, whose records a power cut took.
	suspect bool
}

type nameKey struct {
	dir  uint32
	name string
}

func newTables() *tables {
	return &tables{
		folders: map[string]*folderTable{},
		objects: map[uint32]*object{},
		entries: map[uint32]*entry{},
		names:   map[nameKey]*entry{},
		homes:   map[nameKey]*object{},
		inodes:  map[at.ID]*object{},
		undone:  map[string]Change{},
		keeps:   map[string]*kept{},
		reborn:  map[uint32]uint32{},
	}
}

// apply takes a record over. It is total: a record that refers to something
// that is not there is an error, and changes nothing.
func (t *tables) apply(r *record) error {
	if when := time.UnixMilli(r.Time); when.After(t.lastT) {
		t.lastT = when
	}
	switch r.Type {
	case recAlive, recObject, recEntry, recTouchE, recTouchO, recCur, recSig:
		t.lastOp = t.lastT
	}
	t.clean = r.Type == recClosed
	switch r.Type {
	case recHead:
		t.id, t.secret = r.Text, r.Name
		t.lastO, t.lastE = max(t.lastO, r.Object), max(t.lastE, r.Entry)
	case recAlive:
	case recFolder:
		return t.applyFolder(r)
	case recObject:
		return t.applyObject(r)
	case recEntry:
		return t.applyEntry(r)
	case recUndo:
		if !t.undoing {
			t.undoIDs, t.theirs = nil, nil
			t.undoTime = time.UnixMilli(r.Time)
			t.undoLast = t.undoTime
		}
		t.undoing = true
		t.undoIDs = append(t.undoIDs, r.IDs...)
	case recUndone:
		if r.Change != nil && r.Change.ID != "" {
			t.undone[r.Change.ID] = *r.Change
		}
	case recAnswers:
		if t.answers.Label = r.Text; len(r.Resolve) == 0 || t.answers.Resolve == nil {
			t.answers.Resolve = map[string]Resolution{}
		}
		maps.Copy(t.answers.Resolve, r.Resolve)
	case recUndoing:
		if r.When != nil && r.When.After(t.undoLast) {
			t.undoLast = *r.When
		}
	case recTheirs:
		if o := t.objects[r.Object]; o != nil {
			if t.theirs == nil {
				t.theirs = map[*object]bool{}
			}
			t.theirs[o] = true
		}
	case recUndoEnd:
		t.undoing, t.undoIDs, t.theirs, t.answers = false, nil, nil, UndoOptions{}
	case recKeep:
		if r.Keep == nil || r.Keep.Change.ID == "" {
			return fmt.Errorf("%w: keep record", errTorn)
		}
		r.Keep.at = r.at
		t.keeps[r.Keep.Change.ID] = r.Keep
	case recDrop:
		for _, id := range r.IDs {
			delete(t.keeps, id)
			delete(t.undone, id)
		}
	case recRedo:
		t.redoIDs = append(t.redoIDs, r.IDs...)
	case recRedoEnd:
		t.redoIDs = nil
	case recReborn:
		t.reborn[r.Dir] = r.Object
	case recTouchE, recCur, recAdopt, recAccept:
		return t.applyName(r)
	case recHome, recImage, recRef, recTouchO, recSig, recAfter, recSum, recIdent, recRebase, recRewrite, recAttrs, recOwner, recTime:
		o := t.objects[r.Object]
		if o == nil {
			return nil // an object that was made and is gone again
		}
		return t.applyState(o, r)
	}
	return nil
}

func (t *tables) applyFolder(r *record) error {
	if r.ID == nil || len(r.Text) == 0 {
		return fmt.Errorf("%w: folder record", errTorn)
	}
	if f := t.folders[r.Text]; f != nil {
		// The same folder, perhaps mounted again as another device.
		f.path = string(r.Path)
		if old := f.root.ident.Dev; old != r.ID.Dev {
			t.renumber(f, old, r.ID.Dev)
		}
		t.setIdent(f.root, *r.ID)
		return nil
	}
	if r.Object == 0 || t.objects[r.Object] != nil || r.State == nil {
		return fmt.Errorf("%w: folder record", errTorn)
	}
	f := &folderTable{num: r.Folder, id: r.Text, path: string(r.Path)}
	f.root = &object{id: r.Object, folder: f, kind: at.Directory, base: *r.State, last: *r.State}
	t.folders[r.Text] = f
	t.objects[r.Object] = f.root
	t.setIdent(f.root, *r.ID)
	t.lastF, t.lastO = max(t.lastF, r.Folder), max(t.lastO, r.Object)
	return nil
}

func (t *tables) renumber(f *folderTable, old, now uint64) {
	for _, o := range t.objects {
		if o.folder == f && o.ident.Dev == old {
			id := o.ident
			id.Dev = now
			t.setIdent(o, id)
		}
	}
}

func (t *tables) applyObject(r *record) error {
	parent := t.objects[r.Dir]
	if parent == nil || parent.kind != at.Directory || r.ID == nil || r.State == nil || r.Object == 0 || t.objects[r.Object] != nil {
		return fmt.Errorf("%w: object record", errTorn)
	}
	o := &object{id: r.Object, folder: parent.folder, parent: parent, name: string(r.Name),
		kind: kindNamed(r.Kind), made: r.Made, base: *r.State, last: *r.State}
	if r.Made {
		o.touch = touchOpen
	}
	t.objects[o.id] = o
	t.count(1, o, nil)
	t.lastO = max(t.lastO, o.id)
	t.setIdent(o, *r.ID)
	if !o.made {
		t.settle(o, parent, o.name)
	}
	return nil
}

func (t *tables) applyState(o *object, r *record) error {
	if r.State == nil && (r.Type == recImage || r.Type == recSig || r.Type == recAfter || r.Type == recSum || r.Type == recRebase || r.Type == recTime) ||
		r.ID == nil && (r.Type == recIdent || r.Type == recRebase) || r.Owner == nil && r.Type == recOwner {
		return fmt.Errorf("%w: %s record", errTorn, r.Type)
	}
	t.count(-1, o, nil)
	defer t.count(1, o, nil)
	switch r.Type {
	case recTouchO, recSig, recAfter, recRebase:
		o.suspect = false // somebody knows now
	}
	switch r.Type {
	case recHome:
		dir := t.objects[r.Dir]
		if dir == nil || o.made {
			return fmt.Errorf("%w: home record", errTorn)
		}
		t.settle(o, dir, string(r.Name))
	case recImage:
		o.image = &image{gen: r.Gen, size: r.State.Size, sum: r.State.Sum, parts: r.Parts, ahead: r.Ahead}
		if !r.Parts && (len(r.data) > 0 || r.State.Size == 0) {
			if int64(len(r.data)) != r.State.Size && r.data != nil {
				return fmt.Errorf("%w: image record", errTorn)
			}
			o.image.at = r.at
		}
		o.gen = max(o.gen, r.Gen)
		o.base.Size, o.base.Sum = r.State.Size, r.State.Sum
	case recAttrs:
		o.attrs = r.Attrs
		if o.attrs == nil {
			o.attrs = at.AttrSet{}
		}
		o.base.Attrs = o.attrs.Digest()
	case recOwner:
		o.owner = r.Owner
	case recRef:
		o.ref = r.Gen
		o.gen = max(o.gen, r.Gen)
	case recTouchO:
		o.touch = touchOpen
		o.times = o.times || r.Times
	case recSig:
		o.last, o.touch = *r.State, touchQuiet
	case recAfter:
		o.after, o.last, o.touch = *r.State, *r.State, touchDone
	case recIdent:
		t.setIdent(o, *r.ID)
		if r.State != nil {
			o.last = *r.State
		}
	case recTime:
		o.base.Sec, o.base.Nsec = r.State.Sec, r.State.Nsec
	case recSum:
		o.base.Sum = r.State.Sum
		if o.image != nil {
			o.image.sum = r.State.Sum
		}
	case recRewrite:
		o.rewriting = true
	case recRebase:
		o.rewriting, o.doubtful = false, false
		o.base, o.last = *r.State, *r.State
		o.image, o.ref, o.touch, o.times, o.made, o.attrs, o.owner, o.ahead = nil, 0, touchNone, false, false, nil, nil, 0
		o.base.Attrs, o.last.Attrs = "", ""
		o.gen = max(o.gen, r.Gen)
		t.setIdent(o, *r.ID)
	}
	return nil
}

func (t *tables) setIdent(o *object, id at.ID) {
	if t.inodes[o.ident] == o {
		delete(t.inodes, o.ident)
	}
	o.ident = id
	t.inodes[id] = o
}

func kindNamed(s string) at.Kind {
	for _, k := range []at.Kind{at.File, at.Directory, at.Symlink, at.Special} {
		if k.String() == s {
			return k
		}
	}
	return at.Unknown
}
