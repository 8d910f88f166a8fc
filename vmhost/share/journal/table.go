package journal

import (
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
)

// tables is what the records say, all of it in memory. Records are the only way
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
	answers  UndoOptions      // of the undo that has begun
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
	gen    uint32
	size   int64
	sum    string
	inline *inline // where it stands in the log; nil: in images/O.G
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

func (t *tables) renumber(f *folderTable, old, now uint64) {
	for _, o := range t.objects {
		if o.folder == f && o.ident.Dev == old {
			id := o.ident
			id.Dev = now
			t.setIdent(o, id)
		}
	}
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
