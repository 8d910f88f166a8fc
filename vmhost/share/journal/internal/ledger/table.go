package ledger

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/partial"
)

// Ledger is what the records say, all of it in memory. Records are the only way
// to change it, so that reading the log gives what was there before.
type Ledger struct {
	ID      string
	Secret  []byte // of the marks in the log
	text    int64  // bytes of names and the like in memory
	Folders map[string]*Folder
	Objects map[uint32]*Object
	Entries map[uint32]*Entry
	Names   map[Name]*Entry // touched names
	Homes   map[Name]*Object
	Inodes  map[at.ID]*Object
	LastO   uint32
	LastE   uint32
	LastF   uint32
	LastT   time.Time         // of the newest record
	LastOp  time.Time         // of the newest one about a change in a folder
	Undone  map[string]Undone // by id of the change
	Reborn  map[uint32]uint32 // number in another journal → object that stands for it here
	Running bool              // a run is recorded here, the records of which may be lost in a power cut
	Pending
	Clean     bool  // the last record says that the journal was closed
	Compacted int64 // length of the log after it was last rewritten
}

// Pending is a run that has begun to take changes of this journal back, and not ended.
type Pending struct {
	Undoing  bool
	UndoIDs  []string
	Answers  UndoOptions
	UndoLast time.Time        // when it was known to be at work
	Theirs   map[*Object]bool // directories that a person changed before it came to them
}

// Folder is a shared folder.
type Folder struct {
	num  uint32
	ID   string
	Path string
	Root *Object
}

// Object is an inode that the task came near.
type Object struct {
	ID      uint32
	Folder  *Folder
	Parent  *Object // with name: where it was when it was first seen
	name    string
	Dir     *Object // with Alias: a name of it that the task never changed, if home
	Alias   string
	Ident   at.ID
	Kind    at.Kind
	Made    bool     // by the task; otherwise base and home are the person's
	Astray  bool     // something else was found at the name that it had, and nobody knows where it is
	Base    State    // what undo goes back to
	Spots   []*Entry // names that mean it now
	origins []*Entry // touched names that meant it before the task
	Before
	Ahead
	Work
	Doubts

	Keep    sync.Mutex // held while the content is copied into the journal
	Writers int        // what may change it, open files among that, guarded by the journal's lock
	Writing *Writing   // while files are open for changing it
}

// Writing is what the files that are open for changing an inode do to it, so that what a
// person does to it meanwhile can be told apart. The journal's lock is taken before.
type Writing struct {
	sync.Mutex
	of      at.ID     // the inode: files that were opened before an undo gave the object another one go on with theirs
	Busy    int       // changes under way
	Left    State     // how one left it, the newest if Looked is When
	Looked  time.Time // when that was; zero: nothing is known
	When    time.Time // when the newest was over
	Ended   time.Time // when the newest of any kind was over
	Set     bool      // Left has a time that was set, and not that of a change
	Round   uint64    // Recorder.Round when one of the files was made ready, plus one
	Edits   uint64    // how often a person changed it meanwhile: then each is made ready again
	Exact   *bool     // whether the disk's times tell; nil: nobody asked
	length  length
	several bool // more than one file was open: what each makes of the length is sure of appending only
}

// Forget says that the time of the file tells nothing until the next change.
func (w *Writing) Forget() { w.Looked, w.When, w.Set = time.Time{}, time.Time{}, false }

// Restart says that what the file is now is nobody's work yet.
func (w *Writing) Restart() {
	w.Forget()
	w.length = length{}
}

// Join notes that a file is opened for changing o.
func (o *Object) Join() {
	if o.Writers++; o.Writing == nil || o.Writing.of.Other(o.Ident) {
		o.Writing = &Writing{of: o.Ident}
	}
	if o.Writers > 1 {
		o.Writing.Lock()
		o.Writing.several = true
		o.Writing.Unlock()
	}
}

// Leave notes that a file, or something else that may change o, is done with it.
func (o *Object) Leave() {
	if o.Writers--; o.Writers == 0 {
		o.Writing = nil
	}
}

// Before is what the journal keeps of an object besides its base.
type Before struct {
	Image *image
	Attrs at.AttrSet // extended attributes, nil while the task changed none
	Owner *at.Owner  // nil for at.PlainOwner
	Ref   uint32     // generation of refs/O.G, 0 without one
	Gen   uint32     // of the newest image or reference
}

// Ahead is about what is kept before the task came near it.
type Ahead struct {
	// Synced is up to where in the log everything stands that is needed to bring the
	// object back. 0: the task came near it, or it is not kept.
	Synced int64
	Streak int // of a directory: how often a file in it was waited for
	Reach  int // of a directory: how many files were kept ahead last
}

// Work is what the task did to an object, or undo.
type Work struct {
	Touch touch
	Wait  int64 // up to where the log has to be durable before its content changes; 0: all of it
	Times bool  // its times were set on purpose
	Last  State // as last known, to notice what a person does in between
	after State // valid when Touch is TouchDone
	Freed bool  // a list found it as the task left it, with a cloud service, and not hashed
}

// Doubts are what the death of the program leaves open.
type Doubts struct {
	Suspect bool // TouchOpen because it was kept ahead: perhaps it was not changed
	Stale   bool // what is known of it is from before the journal was opened
}

// touch says how much is known of what the task did to an object.
type touch uint8

// What is known of the work of a task.
const (
	TouchNone  touch = iota // as in base
	TouchOpen               // being changed, or the program died while it was
	TouchQuiet              // changed; last is how the task left it
	TouchDone               // changed; after is how the task left it, with its hash
)

// image is the content of a file before its first change.
type image struct {
	Gen    uint32
	Size   int64
	Sum    string
	Inline *Inline // where it stands in the log; nil: in images/O.G
	// parts says that the file in images/ has only what the task was about to
	// change; loaded is what it has, once somebody asked.
	Parts  bool
	Loaded *partial.Image
	Ahead  bool // kept before the task came near the file
}

// Entry is a name whose meaning the task changed.
type Entry struct {
	ID    uint32
	Dir   *Object
	Name  string
	Bases []*Object // what it meant; more than one when a person put things there
	Cur   *Object   // what it means now, as far as the task is concerned
	Sure  bool      // cur is what the task made of it; else the disk knows
}

// Name is a name in a directory.
type Name struct {
	Dir  uint32
	Name string
}

// New returns a ledger without records.
func New() *Ledger {
	return &Ledger{
		Folders: map[string]*Folder{},
		Objects: map[uint32]*Object{},
		Entries: map[uint32]*Entry{},
		Names:   map[Name]*Entry{},
		Homes:   map[Name]*Object{},
		Inodes:  map[at.ID]*Object{},
		Undone:  map[string]Undone{},
		Reborn:  map[uint32]uint32{},
	}
}

func (t *Ledger) renumber(f *Folder, old, now uint64) {
	for _, o := range t.Objects {
		if o.Folder == f && o.Ident.Dev == old {
			id := o.Ident
			id.Dev = now
			t.setIdent(o, id)
		}
	}
}

func (t *Ledger) setIdent(o *Object, id at.ID) {
	if t.Inodes[o.Ident] == o {
		delete(t.Inodes, o.Ident)
	}
	o.Ident = id
	t.Inodes[id] = o
}

// KindNamed is the kind with this name.
func KindNamed(s string) at.Kind {
	for _, k := range []at.Kind{at.File, at.Directory, at.Symlink, at.Special} {
		if k.String() == s {
			return k
		}
	}
	return at.Unknown
}

// Awaited reports whether a name that o had before the task is to mean it again.
func (o *Object) Awaited() bool {
	return slices.ContainsFunc(o.origins, func(e *Entry) bool { return e.Cur != o })
}

// NeedsSum reports whether the content before is kept and to be hashed.
func (o *Object) NeedsSum() bool {
	return o.Kind == at.File && !o.Made && (o.Image != nil || o.Ref != 0) && !o.Unhashed()
}

// Unhashed reports whether o is so large that its content is compared part by
// part: reading all of it for a few changed bytes takes minutes.
func (o *Object) Unhashed() bool {
	return o.Image != nil && o.Image.Parts && o.Image.Size > HashLimit
}

// Doubts are the records of what a power cut may have taken the records of, because
// nobody waits for them: that what was kept ahead was changed or removed, and that
// something of the task's own came to a name that it had emptied or taken. So these
// names and files are in doubt, like those whose change had begun.
func (t *Ledger) Doubts() []Record {
	var recs []Record
	n := t.LastE
	for _, o := range t.Objects {
		if o.Image == nil || !o.Image.Ahead {
			continue
		}
		if o.Touch == TouchNone {
			recs = append(recs, OpenRecord{Object: o.ID, Maybe: true})
		}
		if t.Home(o) && t.Objects[o.Dir.ID] == o.Dir {
			n++
			recs = append(recs, EntryRecord{Entry: n, Dir: o.Dir.ID, Name: []byte(o.Alias), Object: o.ID}, TouchRecord{Entry: n})
		}
	}
	for _, e := range t.Entries {
		if e.Sure && (e.Cur == nil || e.Cur.Made || t.Running) {
			recs = append(recs, TouchRecord{Entry: e.ID})
		}
	}
	return recs
}

// HashLimit is the length of a large file: one that is kept in parts is not hashed.
const HashLimit = 1 << 30

// StoreName is the name of what is kept of object o, an image or a reference.
func StoreName(o, gen uint32) string { return fmt.Sprintf("%d.%d", o, gen) }
