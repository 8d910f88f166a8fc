package ledger

import (
	"reflect"
	"time"

	"piwork/vmhost/share/internal/at"
)

// Record is one line of the log. Each kind is a struct. apply takes it
// over, when being its time. It is total: a record that refers to something that is not
// there is an error, and changes nothing.
type Record interface {
	apply(t *Ledger, when time.Time) error
}

// Records of the log itself.
type (
	// HeadRecord begins a log. Numbers are given out above the highest so far.
	HeadRecord struct {
		ID     string `json:"x,omitempty"` // of the journal
		Secret []byte `json:"n,omitempty"` // of its marks
		Object uint32 `json:"o,omitempty"` // the highest so far
		Entry  uint32 `json:"e,omitempty"`
	}
	// MarkRecord says that a record begins here, whatever is damaged before. The first one
	// after the log was rewritten says how long that made it.
	MarkRecord struct {
		Secret    []byte `json:"n,omitempty"`
		Compacted int64  `json:"c,omitempty"`
	}
	// AliveRecord says that the task is changing things right now.
	AliveRecord struct{}
	// ClosedRecord says that the journal was closed in order.
	ClosedRecord struct{}
)

// Records of what was there before the task, and of what it made.
type (
	// FolderRecord is a shared folder, or its new place.
	FolderRecord struct {
		ID     string `json:"x,omitempty"`
		Folder uint32 `json:"f,omitempty"`
		Root   uint32 `json:"o,omitempty"` // the object that it is
		Path   []byte `json:"path,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		State  *State `json:"s,omitempty"`
	}
	// ObjectRecord is an inode that the task comes near or, with Made, has made.
	ObjectRecord struct {
		Object uint32 `json:"o,omitempty"`
		Dir    uint32 `json:"p,omitempty"` // the object that Name is in
		Name   []byte `json:"n,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		Kind   string `json:"kind,omitempty"`
		Made   bool   `json:"made,omitempty"`
		State  *State `json:"s,omitempty"`
	}
	// HomeRecord is another name of an object, which the task never changed.
	HomeRecord struct {
		Object uint32 `json:"o,omitempty"`
		Dir    uint32 `json:"p,omitempty"`
		Name   []byte `json:"n,omitempty"`
	}
	// ImageRecord says that the content of an object is kept: behind the record, or in
	// the file images/Object.Gen, of which it is parts only with Parts.
	ImageRecord struct {
		Object uint32  `json:"o,omitempty"`
		Gen    uint32  `json:"g,omitempty"` // counts images and references of an object
		State  *State  `json:"s,omitempty"` // its size and hash
		Parts  bool    `json:"parts,omitempty"`
		Ahead  bool    `json:"ahead,omitempty"`
		Inline *Inline `json:"-"`
	}
	// AttrsRecord has the extended attributes of an object before.
	AttrsRecord struct {
		Object uint32     `json:"o,omitempty"`
		Attrs  at.AttrSet `json:"a,omitempty"`
	}
	// OwnerRecord says whom an object belonged to, and what the system kept with it.
	OwnerRecord struct {
		Object uint32    `json:"o,omitempty"`
		Owner  *at.Owner `json:"own,omitempty"`
	}
	// RefRecord says that refs/Object.Gen holds the inode of an object; 0: no more.
	RefRecord struct {
		Object uint32 `json:"o,omitempty"`
		Gen    uint32 `json:"g,omitempty"`
	}
	// HashRecord has the hash of the content before.
	HashRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *State `json:"s,omitempty"`
	}
	// DirTimeRecord has the time of a directory before.
	DirTimeRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *State `json:"s,omitempty"`
	}
)

// Records of what the task does to objects.
type (
	// OpenRecord says that an object is about to change; Times, that its times are
	// set on purpose; Maybe, that it was kept ahead and may have changed before a power cut.
	OpenRecord struct {
		Object uint32 `json:"o,omitempty"`
		Times  bool   `json:"times,omitempty"`
		Maybe  bool   `json:"maybe,omitempty"`
	}
	// SignRecord is how the task left an object, not hashed.
	SignRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *State `json:"s,omitempty"`
	}
	// AfterRecord is how the task left an object, hashed.
	AfterRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *State `json:"s,omitempty"`
	}
	// InodeRecord says that an object has another inode now.
	InodeRecord struct {
		Object uint32 `json:"o,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		State  *State `json:"s,omitempty"`
	}
	// RebaseRecord is the new before of an object: a person changed it, or it is
	// undone, or accepted.
	RebaseRecord struct {
		Object uint32 `json:"o,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		State  *State `json:"s,omitempty"`
		Gen    uint32 `json:"g,omitempty"`
	}
)

// Records of names.
type (
	// EntryRecord is a name whose meaning is about to change for the first time;
	// Object is what it meant, 0 for nothing.
	EntryRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Dir    uint32 `json:"p,omitempty"`
		Name   []byte `json:"n,omitempty"`
		Object uint32 `json:"o,omitempty"`
	}
	// TouchRecord says that a name is about to change again.
	TouchRecord struct {
		Entry uint32 `json:"e,omitempty"`
	}
	// BindRecord says what a name means now, 0 for nothing. Plain, in a rewritten log, says that no
	// directories were joined by that.
	BindRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Object uint32 `json:"o,omitempty"`
		Plain  bool   `json:"plain,omitempty"`
	}
	// AdoptRecord says that a person put an object at a name while the task ran.
	AdoptRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Object uint32 `json:"o,omitempty"`
	}
	// AcceptRecord says that what a name means now is the person's, or only that this object
	// of several that it meant has lost it.
	AcceptRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Object uint32 `json:"o,omitempty"`
	}
)

// Records of runs that take changes of this journal back, and of what one took back.
type (
	// answersRecord has answers for the undo that begins next; without any the former
	// ones are forgotten.
	answersRecord struct {
		Resolve map[string]Resolution `json:"resolve,omitempty"`
		Label   string                `json:"x,omitempty"`
	}
	// UndoRecord begins an undo of these changes, or goes on with their list.
	UndoRecord struct {
		IDs []string `json:"ids,omitempty"`
	}
	// UndoingRecord says that an undo is changing things right now.
	UndoingRecord struct {
		When *time.Time `json:"when,omitempty"`
	}
	// TheirsRecord is a directory that a person changed before the undo came to it.
	TheirsRecord struct {
		Object uint32 `json:"o,omitempty"`
	}
	// UndoneRecord is a change that was taken back, and what was recorded of that in the journal of undos.
	UndoneRecord struct {
		Change *Change `json:"change,omitempty"`
		Marks
	}
	// UndoEndRecord ends an undo.
	UndoEndRecord struct{}
	// RunRecord says that a run which takes back changes of another journal is recorded here, and that its
	// records are not waited for, one by one; End, that all of them are durable.
	RunRecord struct {
		End bool `json:"end,omitempty"`
	}
	// DropRecord names undone changes that were done again.
	DropRecord struct {
		IDs []string `json:"ids,omitempty"`
	}
	// RebornRecord says that Object stands for Old of another journal: a run made it in its place.
	RebornRecord struct {
		Object uint32 `json:"o,omitempty"`
		Old    uint32 `json:"p,omitempty"`
	}
)

// kinds are the records by their name in the log. Unknown ones are skipped, so that an
// older program can read what a newer one left.
var kinds = map[string]Record{
	"head": HeadRecord{}, "mark": MarkRecord{}, "alive": AliveRecord{}, "closed": ClosedRecord{},
	"folder": FolderRecord{}, "object": ObjectRecord{}, "home": HomeRecord{}, "image": ImageRecord{},
	"attrs": AttrsRecord{}, "owner": OwnerRecord{}, "ref": RefRecord{}, "sum": HashRecord{},
	"time": DirTimeRecord{}, "touch-o": OpenRecord{}, "sig": SignRecord{}, "after": AfterRecord{},
	"ident": InodeRecord{}, "rebase": RebaseRecord{}, "entry": EntryRecord{},
	"touch-e": TouchRecord{}, "cur": BindRecord{}, "adopt": AdoptRecord{}, "accept": AcceptRecord{},
	"answers": answersRecord{}, "undo": UndoRecord{}, "undoing": UndoingRecord{}, "theirs": TheirsRecord{}, "run": RunRecord{},
	"undone": UndoneRecord{}, "undo-end": UndoEndRecord{}, "drop": DropRecord{}, "reborn": RebornRecord{},
}

var names = func() map[reflect.Type]string {
	m := map[reflect.Type]string{}
	for name, r := range kinds {
		m[reflect.TypeOf(r)] = name
	}
	return m
}()

// kindOf is the name of a record in the log.
func kindOf(r Record) string { return names[reflect.TypeOf(r)] }
