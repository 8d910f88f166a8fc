package journal

import (
	"bytes"
	"fmt"
	"maps"
	"time"

	"piwork/vmhost/share/internal/at"
)

// A record is one line of the log. Each kind is a struct; kind is its name in the log.
// apply takes it over into the tables, when being its time. It is total: a record that
// refers to something that is not there is an error, and changes nothing.
type record interface {
	kind() string
	apply(t *tables, when time.Time) error
}

// Records of the log itself.
type (
	// headRecord begins a log. Numbers are given out above the highest so far.
	headRecord struct {
		ID     string `json:"x,omitempty"` // of the journal
		Secret []byte `json:"n,omitempty"` // of its marks
		Object uint32 `json:"o,omitempty"` // the highest so far
		Entry  uint32 `json:"e,omitempty"`
	}
	// markRecord says that a record begins here, whatever is damaged before.
	markRecord struct {
		Secret []byte `json:"n,omitempty"`
	}
	// aliveRecord says that the task is changing things right now.
	aliveRecord struct{}
	// closedRecord says that the journal was closed in order.
	closedRecord struct{}
)

// Records of what was there before the task, and of what it made.
type (
	// folderRecord is a shared folder, or its new place.
	folderRecord struct {
		ID     string `json:"x,omitempty"`
		Folder uint32 `json:"f,omitempty"`
		Root   uint32 `json:"o,omitempty"` // the object that it is
		Path   []byte `json:"path,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		State  *state `json:"s,omitempty"`
	}
	// objectRecord is an inode that the task comes near or, with Made, has made.
	objectRecord struct {
		Object uint32 `json:"o,omitempty"`
		Dir    uint32 `json:"p,omitempty"` // the object that Name is in
		Name   []byte `json:"n,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		Kind   string `json:"kind,omitempty"`
		Made   bool   `json:"made,omitempty"`
		State  *state `json:"s,omitempty"`
	}
	// homeRecord is another name of an object, which the task never changed.
	homeRecord struct {
		Object uint32 `json:"o,omitempty"`
		Dir    uint32 `json:"p,omitempty"`
		Name   []byte `json:"n,omitempty"`
	}
	// imageRecord says that the content of an object is kept: behind the record, or in
	// the file images/Object.Gen, of which it is parts only with Parts.
	imageRecord struct {
		Object uint32 `json:"o,omitempty"`
		Gen    uint32 `json:"g,omitempty"` // counts images and references of an object
		State  *state `json:"s,omitempty"` // its size and hash
		Parts  bool   `json:"parts,omitempty"`
		Ahead  bool   `json:"ahead,omitempty"`
		inline *inline
	}
	// attrsRecord has the extended attributes of an object before.
	attrsRecord struct {
		Object uint32     `json:"o,omitempty"`
		Attrs  at.AttrSet `json:"a,omitempty"`
	}
	// ownerRecord says whom an object belonged to, and what the system kept with it.
	ownerRecord struct {
		Object uint32    `json:"o,omitempty"`
		Owner  *at.Owner `json:"own,omitempty"`
	}
	// refRecord says that refs/Object.Gen holds the inode of an object; 0: no more.
	refRecord struct {
		Object uint32 `json:"o,omitempty"`
		Gen    uint32 `json:"g,omitempty"`
	}
	// hashRecord has the hash of the content before.
	hashRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *state `json:"s,omitempty"`
	}
	// dirTimeRecord has the time of a directory before.
	dirTimeRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *state `json:"s,omitempty"`
	}
)

// Records of what the task does to objects.
type (
	// openRecord says that an object is about to change; Times, that its times are
	// set on purpose.
	openRecord struct {
		Object uint32 `json:"o,omitempty"`
		Times  bool   `json:"times,omitempty"`
	}
	// signRecord is how the task left an object, not hashed.
	signRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *state `json:"s,omitempty"`
	}
	// afterRecord is how the task left an object, hashed.
	afterRecord struct {
		Object uint32 `json:"o,omitempty"`
		State  *state `json:"s,omitempty"`
	}
	// inodeRecord says that an object has another inode now.
	inodeRecord struct {
		Object uint32 `json:"o,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		State  *state `json:"s,omitempty"`
	}
	// rebaseRecord is the new before of an object: a person changed it, or it is
	// undone, or accepted.
	rebaseRecord struct {
		Object uint32 `json:"o,omitempty"`
		Inode  *at.ID `json:"id,omitempty"`
		State  *state `json:"s,omitempty"`
		Gen    uint32 `json:"g,omitempty"`
	}
	// rewriteRecord says that undo writes into the inode of an object.
	rewriteRecord struct {
		Object uint32 `json:"o,omitempty"`
	}
)

// Records of names.
type (
	// entryRecord is a name whose meaning is about to change for the first time;
	// Object is what it meant, 0 for nothing.
	entryRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Dir    uint32 `json:"p,omitempty"`
		Name   []byte `json:"n,omitempty"`
		Object uint32 `json:"o,omitempty"`
	}
	// touchRecord says that a name is about to change again.
	touchRecord struct {
		Entry uint32 `json:"e,omitempty"`
	}
	// bindRecord says what a name means now, 0 for nothing.
	bindRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Object uint32 `json:"o,omitempty"`
	}
	// adoptRecord says that a person put an object at a name while the task ran.
	adoptRecord struct {
		Entry  uint32 `json:"e,omitempty"`
		Object uint32 `json:"o,omitempty"`
	}
	// acceptRecord says that what a name means now is the person's.
	acceptRecord struct {
		Entry uint32 `json:"e,omitempty"`
	}
)

// Records of undo and redo.
type (
	// answersRecord has answers for the undo that begins next; without any the former
	// ones are forgotten.
	answersRecord struct {
		Resolve map[string]Resolution `json:"resolve,omitempty"`
		Label   string                `json:"x,omitempty"`
	}
	// undoRecord begins an undo of these changes, or goes on with their list.
	undoRecord struct {
		IDs []string `json:"ids,omitempty"`
	}
	// undoingRecord says that an undo is changing things right now.
	undoingRecord struct {
		When *time.Time `json:"when,omitempty"`
	}
	// theirsRecord is a directory that a person changed before the undo came to it.
	theirsRecord struct {
		Object uint32 `json:"o,omitempty"`
	}
	undoneRecord struct {
		Change *Change `json:"change,omitempty"`
	}
	undoEndRecord struct{}
	// keepRecord is how undo found a change that it takes back, with its content
	// behind the record where that is small.
	keepRecord struct {
		Keep   *kept `json:"keep,omitempty"`
		inline *inline
	}
	// dropRecord names undone changes that nobody can redo any more, or did.
	dropRecord struct {
		IDs []string `json:"ids,omitempty"`
	}
	// redoRecord names changes that are being done again.
	redoRecord struct {
		IDs []string `json:"ids,omitempty"`
	}
	redoEndRecord struct{}
	// rebornRecord says that Object stands for Old, which undo removed.
	rebornRecord struct {
		Object uint32 `json:"o,omitempty"`
		Old    uint32 `json:"p,omitempty"`
	}
)

func (headRecord) kind() string    { return "head" }
func (markRecord) kind() string    { return "mark" }
func (aliveRecord) kind() string   { return "alive" }
func (closedRecord) kind() string  { return "closed" }
func (folderRecord) kind() string  { return "folder" }
func (objectRecord) kind() string  { return "object" }
func (homeRecord) kind() string    { return "home" }
func (imageRecord) kind() string   { return "image" }
func (attrsRecord) kind() string   { return "attrs" }
func (ownerRecord) kind() string   { return "owner" }
func (refRecord) kind() string     { return "ref" }
func (hashRecord) kind() string    { return "sum" }
func (dirTimeRecord) kind() string { return "time" }
func (openRecord) kind() string    { return "touch-o" }
func (signRecord) kind() string    { return "sig" }
func (afterRecord) kind() string   { return "after" }
func (inodeRecord) kind() string   { return "ident" }
func (rebaseRecord) kind() string  { return "rebase" }
func (rewriteRecord) kind() string { return "rewrite" }
func (entryRecord) kind() string   { return "entry" }
func (touchRecord) kind() string   { return "touch-e" }
func (bindRecord) kind() string    { return "cur" }
func (adoptRecord) kind() string   { return "adopt" }
func (acceptRecord) kind() string  { return "accept" }
func (answersRecord) kind() string { return "answers" }
func (undoRecord) kind() string    { return "undo" }
func (undoingRecord) kind() string { return "undoing" }
func (theirsRecord) kind() string  { return "theirs" }
func (undoneRecord) kind() string  { return "undone" }
func (undoEndRecord) kind() string { return "undo-end" }
func (keepRecord) kind() string    { return "keep" }
func (dropRecord) kind() string    { return "drop" }
func (redoRecord) kind() string    { return "redo" }
func (redoEndRecord) kind() string { return "redo-end" }
func (rebornRecord) kind() string  { return "reborn" }

// kinds read the records of the log by their name. Unknown ones are skipped, so that
// an older program can read what a newer one left.
var kinds = map[string]func(text []byte, c *inline) (record, error){
	"head": read[headRecord], "mark": read[markRecord], "alive": read[aliveRecord], "closed": read[closedRecord],
	"folder": read[folderRecord], "object": read[objectRecord], "home": read[homeRecord], "attrs": read[attrsRecord],
	"owner": read[ownerRecord], "ref": read[refRecord], "sum": read[hashRecord], "time": read[dirTimeRecord],
	"touch-o": read[openRecord], "sig": read[signRecord], "after": read[afterRecord], "ident": read[inodeRecord],
	"rebase": read[rebaseRecord], "rewrite": read[rewriteRecord], "entry": read[entryRecord], "touch-e": read[touchRecord],
	"cur": read[bindRecord], "adopt": read[adoptRecord], "accept": read[acceptRecord], "answers": read[answersRecord],
	"undo": read[undoRecord], "undoing": read[undoingRecord], "theirs": read[theirsRecord], "undone": read[undoneRecord],
	"undo-end": read[undoEndRecord], "drop": read[dropRecord], "redo": read[redoRecord], "redo-end": read[redoEndRecord],
	"reborn": read[rebornRecord],
	"image": func(text []byte, c *inline) (record, error) {
		r, err := read[imageRecord](text, nil)
		x := r.(imageRecord)
		x.inline = c
		return x, err
	},
	"keep": func(text []byte, c *inline) (record, error) {
		r, err := read[keepRecord](text, nil)
		x := r.(keepRecord)
		x.inline = c
		return x, err
	},
}

// take takes a record over.
func (t *tables) take(r record, when time.Time) error {
	if when.After(t.lastT) {
		t.lastT = when
	}
	switch r.(type) {
	case aliveRecord, objectRecord, entryRecord, touchRecord, openRecord, bindRecord, signRecord:
		t.lastOp = t.lastT
	}
	_, t.clean = r.(closedRecord)
	return r.apply(t, when)
}

func torn(r record) error { return fmt.Errorf("%w: %s record", errTorn, r.kind()) }

// unknownRecord is of a newer program.
type unknownRecord string

func (r unknownRecord) kind() string                 { return string(r) }
func (unknownRecord) apply(*tables, time.Time) error { return nil }

func (r headRecord) apply(t *tables, _ time.Time) error {
	t.id, t.secret = r.ID, r.Secret
	t.lastO, t.lastE = max(t.lastO, r.Object), max(t.lastE, r.Entry)
	return nil
}

func (markRecord) apply(*tables, time.Time) error   { return nil }
func (aliveRecord) apply(*tables, time.Time) error  { return nil }
func (closedRecord) apply(*tables, time.Time) error { return nil }

func (r folderRecord) apply(t *tables, _ time.Time) error {
	if r.Inode == nil || r.ID == "" {
		return torn(r)
	}
	if f := t.folders[r.ID]; f != nil {
		// The same folder, perhaps mounted again as another device.
		f.path = string(r.Path)
		if old := f.root.ident.Dev; old != r.Inode.Dev {
			t.renumber(f, old, r.Inode.Dev)
		}
		t.setIdent(f.root, *r.Inode)
		return nil
	}
	if r.Root == 0 || t.objects[r.Root] != nil || r.State == nil {
		return torn(r)
	}
	f := &folderTable{num: r.Folder, id: r.ID, path: string(r.Path)}
	f.root = &object{id: r.Root, folder: f, kind: at.Directory, base: *r.State, last: *r.State}
	t.folders[r.ID] = f
	t.objects[r.Root] = f.root
	t.setIdent(f.root, *r.Inode)
	t.lastF, t.lastO = max(t.lastF, r.Folder), max(t.lastO, r.Root)
	return nil
}

func (r objectRecord) apply(t *tables, _ time.Time) error {
	parent := t.objects[r.Dir]
	if parent == nil || parent.kind != at.Directory || r.Inode == nil || r.State == nil || r.Object == 0 || t.objects[r.Object] != nil {
		return torn(r)
	}
	o := &object{id: r.Object, folder: parent.folder, parent: parent, name: string(r.Name),
		kind: kindNamed(r.Kind), made: r.Made, base: *r.State, last: *r.State}
	if r.Made {
		o.touch = touchOpen
	}
	t.objects[o.id] = o
	t.count(1, o, nil)
	t.lastO = max(t.lastO, o.id)
	t.setIdent(o, *r.Inode)
	if !o.made {
		t.settle(o, parent, o.name)
	}
	return nil
}

// amend changes an object. One that is not there was made and is gone again.
func (t *tables) amend(id uint32, do func(o *object) error) error {
	o := t.objects[id]
	if o == nil {
		return nil
	}
	t.count(-1, o, nil)
	defer t.count(1, o, nil)
	return do(o)
}

// state is amend with a state, which the record must have.
func (t *tables) state(r record, id uint32, s *state, do func(o *object, s state)) error {
	return t.amend(id, func(o *object) error {
		if s == nil {
			return torn(r)
		}
		do(o, *s)
		return nil
	})
}

func (r homeRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		dir := t.objects[r.Dir]
		if dir == nil || o.made {
			return torn(r)
		}
		t.settle(o, dir, string(r.Name))
		return nil
	})
}

func (r imageRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		if r.State == nil {
			return torn(r)
		}
		img := &image{gen: r.Gen, size: r.State.Size, sum: r.State.Sum, parts: r.Parts, ahead: r.Ahead}
		if c := r.inline; c != nil && !r.Parts && (len(c.data) > 0 || r.State.Size == 0) {
			if int64(len(c.data)) != r.State.Size {
				return torn(r)
			}
			img.inline = &inline{at: c.at}
		}
		o.image = img
		o.gen = max(o.gen, r.Gen)
		o.base.Size, o.base.Sum = r.State.Size, r.State.Sum
		return nil
	})
}

func (r attrsRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		if o.attrs = r.Attrs; o.attrs == nil {
			o.attrs = at.AttrSet{}
		}
		o.base.Attrs = o.attrs.Digest()
		return nil
	})
}

func (r ownerRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		if r.Owner == nil {
			return torn(r)
		}
		o.owner = r.Owner
		return nil
	})
}

func (r refRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		o.ref = r.Gen
		o.gen = max(o.gen, r.Gen)
		return nil
	})
}

func (r hashRecord) apply(t *tables, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *object, s state) {
		o.base.Sum = s.Sum
		if o.image != nil {
			o.image.sum = s.Sum
		}
	})
}

func (r dirTimeRecord) apply(t *tables, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *object, s state) { o.base.Sec, o.base.Nsec = s.Sec, s.Nsec })
}

func (r openRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		o.suspect = false // somebody knows now; so below
		o.touch = touchOpen
		o.times = o.times || r.Times
		return nil
	})
}

func (r signRecord) apply(t *tables, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *object, s state) {
		o.suspect = false
		o.last, o.touch = s, touchQuiet
	})
}

func (r afterRecord) apply(t *tables, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *object, s state) {
		o.suspect = false
		o.after, o.last, o.touch = s, s, touchDone
	})
}

func (r inodeRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		if r.Inode == nil {
			return torn(r)
		}
		t.setIdent(o, *r.Inode)
		if r.State != nil {
			o.last = *r.State
		}
		return nil
	})
}

func (r rebaseRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error {
		if r.State == nil || r.Inode == nil {
			return torn(r)
		}
		o.suspect, o.rewriting, o.doubtful = false, false, false
		o.base, o.last = *r.State, *r.State
		o.image, o.ref, o.touch, o.times, o.made, o.attrs, o.owner, o.ahead = nil, 0, touchNone, false, false, nil, nil, 0
		o.base.Attrs, o.last.Attrs = "", ""
		o.gen = max(o.gen, r.Gen)
		t.setIdent(o, *r.Inode)
		return nil
	})
}

func (r rewriteRecord) apply(t *tables, _ time.Time) error {
	return t.amend(r.Object, func(o *object) error { o.rewriting = true; return nil })
}

func (r entryRecord) apply(t *tables, _ time.Time) error {
	dir := t.objects[r.Dir]
	if dir == nil || r.Entry == 0 || t.entries[r.Entry] != nil {
		return torn(r)
	}
	key := nameKey{dir.id, string(r.Name)}
	if t.names[key] != nil {
		return torn(r)
	}
	e := &entry{id: r.Entry, dir: dir, name: key.name}
	if o := t.objects[r.Object]; o != nil {
		e.addBase(o)
		e.put(o)
		o.doubtful = false
	}
	t.entries[e.id], t.names[key] = e, e
	t.count(1, nil, e)
	t.lastE = max(t.lastE, e.id)
	delete(t.homes, key)
	return nil
}

// rename changes what a name means. One that is not there was dropped since.
func (t *tables) rename(id uint32, do func(e *entry) error) error {
	e := t.entries[id]
	if e == nil {
		return nil
	}
	e.suspect = false
	return do(e)
}

func (r touchRecord) apply(t *tables, _ time.Time) error {
	return t.rename(r.Entry, func(e *entry) error { e.sure = false; return nil })
}

func (r bindRecord) apply(t *tables, _ time.Time) error {
	return t.rename(r.Entry, func(e *entry) error {
		old := e.cur
		e.put(t.objects[r.Object])
		e.sure = true
		t.forget(old)
		if e.cur == nil && len(e.bases) == 0 {
			t.dropEntry(e)
		}
		return nil
	})
}

func (r adoptRecord) apply(t *tables, _ time.Time) error {
	return t.rename(r.Entry, func(e *entry) error {
		o := t.objects[r.Object]
		if o == nil {
			return torn(r)
		}
		o.made = false
		e.addBase(o)
		old := e.cur
		e.put(o)
		t.forget(old)
		return nil
	})
}

func (r acceptRecord) apply(t *tables, _ time.Time) error {
	return t.rename(r.Entry, func(e *entry) error { t.accept(e); return nil })
}

func (r answersRecord) apply(t *tables, _ time.Time) error {
	if t.answers.Label = r.Label; len(r.Resolve) == 0 || t.answers.Resolve == nil {
		t.answers.Resolve = map[string]Resolution{}
	}
	maps.Copy(t.answers.Resolve, r.Resolve)
	return nil
}

func (r undoRecord) apply(t *tables, when time.Time) error {
	if !t.undoing {
		t.undoIDs, t.theirs = nil, nil
		t.undoLast = when
	}
	t.undoing = true
	t.undoIDs = append(t.undoIDs, r.IDs...)
	return nil
}

func (r undoingRecord) apply(t *tables, _ time.Time) error {
	if r.When != nil && r.When.After(t.undoLast) {
		t.undoLast = *r.When
	}
	return nil
}

func (r theirsRecord) apply(t *tables, _ time.Time) error {
	if o := t.objects[r.Object]; o != nil {
		if t.theirs == nil {
			t.theirs = map[*object]bool{}
		}
		t.theirs[o] = true
	}
	return nil
}

func (r undoneRecord) apply(t *tables, _ time.Time) error {
	if r.Change != nil && r.Change.ID != "" {
		t.undone[r.Change.ID] = *r.Change
	}
	return nil
}

func (undoEndRecord) apply(t *tables, _ time.Time) error {
	t.undoing, t.undoIDs, t.theirs, t.answers = false, nil, nil, UndoOptions{}
	return nil
}

func (r keepRecord) apply(t *tables, _ time.Time) error {
	if r.Keep == nil || r.Keep.Change.ID == "" {
		return torn(r)
	}
	r.Keep.inline = &inline{at: r.inline.at}
	t.keeps[r.Keep.Change.ID] = r.Keep
	return nil
}

func (r dropRecord) apply(t *tables, _ time.Time) error {
	for _, id := range r.IDs {
		delete(t.keeps, id)
		delete(t.undone, id)
	}
	return nil
}

func (r redoRecord) apply(t *tables, _ time.Time) error {
	t.redoIDs = append(t.redoIDs, r.IDs...)
	return nil
}

func (redoEndRecord) apply(t *tables, _ time.Time) error { t.redoIDs = nil; return nil }

func (r rebornRecord) apply(t *tables, _ time.Time) error {
	t.reborn[r.Old] = r.Object
	return nil
}

// isMark reports whether r is a mark with this secret.
func isMark(r record, secret []byte) bool {
	m, ok := r.(markRecord)
	return ok && len(m.Secret) > 0 && bytes.Equal(m.Secret, secret)
}
