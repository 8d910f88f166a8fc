package journal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// The log is one of internal/wal. The body of a frame is
//
//	jsonLength[4] json[jsonLength] data[rest]
//
// in little endian; data is the inline image of an "image" record.
const (
	magic      = "piwork-journal-1\n"
	maxInline  = 64 << 10 // content up to this size is kept in the log
	maxPathLen = 4096     // bytes of a path inside a folder
)

// Types of records, each with the fields that it has beside its time. Unknown ones are
// skipped, so that an older program can read what a newer one left.
const (
	recHead    = "head"    // Text: journal id, Name: secret of the marks, Object and Entry: the highest numbers so far
	recMark    = "mark"    // Name: that secret; a record begins here, whatever is damaged before
	recFolder  = "folder"  // Text: its id, Folder, Object: its root, Path, ID, State
	recObject  = "object"  // Object, Dir, Name, ID, Kind, State; Made
	recHome    = "home"    // Object, Dir, Name: another name of it that the task never changed
	recImage   = "image"   // Object, Gen, State: size; data or the file images/Object.Gen, of parts when Parts
	recAttrs   = "attrs"   // Object, Attrs: its extended attributes before
	recOwner   = "owner"   // Object, Owner: whom it belonged to before, and what the system kept with it
	recRef     = "ref"     // Object, Gen: refs/Object.Gen holds the inode
	recEntry   = "entry"   // Entry, Dir, Name, Object: what it meant (0: nothing)
	recAdopt   = "adopt"   // Entry, Object: a person put it here while the task ran
	recTouchE  = "touch-e" // Entry: about to change again
	recCur     = "cur"     // Entry, Object: what the name means now
	recTouchO  = "touch-o" // Object: about to change again; Times: its times on purpose
	recSig     = "sig"     // Object, State: as the task left it, not hashed
	recAfter   = "after"   // Object, State: as the task left it
	recSum     = "sum"     // Object, State: the hash of its content before
	recIdent   = "ident"   // Object, ID: it has another inode now; State
	recRebase  = "rebase"  // Object, ID, State, Gen: a person changed it; this is its new before
	recRewrite = "rewrite" // Object: undo writes into its inode, which has several names
	recAlive   = "alive"   // the task is changing things right now
	recAnswers = "answers" // Resolve, Text: label; for the undo that begins next. Without any: forget the former
	recUndo    = "undo"    // IDs
	recUndone  = "undone"  // Change
	recUndoing = "undoing" // When: an undo is changing things right now
	recTheirs  = "theirs"  // Object: a directory that a person changed before the undo came to it
	recUndoEnd = "undo-end"
	recKeep    = "keep" // Keep; data: how undo found a change that it takes back
	recDrop    = "drop" // IDs: undone changes that nobody can redo any more, or did
	recRedo    = "redo" // IDs: being done again
	recRedoEnd = "redo-end"
	recReborn  = "reborn" // Object stands for Dir, another object, which undo removed
	recClosed  = "closed" // the journal was closed in order
	recTime    = "time"   // Object, State: the time of a directory before
	recAccept  = "accept" // Entry: what the name means now is the person's
)

type record struct {
	Type   string     `json:"k"`
	Time   int64      `json:"t"` // ms since 1970
	Folder uint32     `json:"f,omitempty"`
	Object uint32     `json:"o,omitempty"`
	Entry  uint32     `json:"e,omitempty"`
	Dir    uint32     `json:"p,omitempty"` // the object that Name is in
	Gen    uint32     `json:"g,omitempty"` // counts images and references of an object
	Name   []byte     `json:"n,omitempty"`
	Text   string     `json:"x,omitempty"`
	Path   []byte     `json:"path,omitempty"`
	ID     *at.ID     `json:"id,omitempty"`
	Kind   string     `json:"kind,omitempty"`
	Made   bool       `json:"made,omitempty"`
	Times  bool       `json:"times,omitempty"`
	Parts  bool       `json:"parts,omitempty"`
	Ahead  bool       `json:"ahead,omitempty"`
	State  *state     `json:"s,omitempty"`
	IDs    []string   `json:"ids,omitempty"`
	Change *Change    `json:"change,omitempty"`
	When   *time.Time `json:"when,omitempty"`
	Attrs  at.AttrSet `json:"a,omitempty"`
	Keep   *kept      `json:"keep,omitempty"`
	Owner  *at.Owner  `json:"own,omitempty"`

	Resolve map[string]Resolution `json:"resolve,omitempty"`

	data []byte // of an image
	at   int64  // where data stands in the log; set when it is there
}

// state is what an object was or is.
type state struct {
	Mode   uint32 `json:"m"`
	Size   int64  `json:"z"`
	Sec    int64  `json:"s"`
	Nsec   int64  `json:"n"`
	CSec   int64  `json:"cs,omitempty"`
	CNsec  int64  `json:"cn,omitempty"`
	Sum    string `json:"h,omitempty"` // SHA-256, hex
	Target raw    `json:"l,omitempty"` // of a symbolic link
	Links  uint64 `json:"k,omitempty"` // names of a file, when there are several
	Attrs  string `json:"a,omitempty"` // digest of the extended attributes, where the task changed them
	Equal  bool   `json:"e,omitempty"` // found equal to before, part by part
	Lost   bool   `json:"x,omitempty"` // the task's own state is not known
}

type raw = wal.Raw

func stateOf(info at.Info) state {
	size := info.Size
	if info.Kind == at.Directory {
		size = 0 // what the file system needs for it says nothing
	}
	links := uint64(0)
	if info.Kind == at.File && info.NLink > 1 {
		links = info.NLink
	}
	return state{
		Mode: info.Mode, Size: size, Links: links,
		Sec: info.MTime.Unix(), Nsec: int64(info.MTime.Nanosecond()),
		CSec: info.CTime.Unix(), CNsec: int64(info.CTime.Nanosecond()),
	}
}

func (s state) mtime() time.Time { return time.Unix(s.Sec, s.Nsec).UTC() }

// sameData reports whether size and time say that the content is the same.
// File systems of removable disks round times once a file leaves the cache.
func (s state) sameData(o state) bool {
	if s.Size != o.Size {
		return false
	}
	if s.Sec == o.Sec && s.Nsec == o.Nsec {
		return true
	}
	coarse := s.Nsec%1e7 == 0 || o.Nsec%1e7 == 0
	d := s.mtime().Sub(o.mtime())
	return coarse && d < 2*time.Second && d > -2*time.Second
}

// untouched reports whether nothing at all happened to an inode between two
// looks: no program can set the time of its last change.
func (s state) untouched(o state) bool {
	return s.Size == o.Size && s.Sec == o.Sec && s.Nsec == o.Nsec && s.Mode == o.Mode &&
		s.CSec == o.CSec && s.CNsec == o.CNsec && s.CSec != 0
}

func (s state) file() *FileState {
	return &FileState{SHA256: s.Sum, Size: s.Size, Mode: s.Mode, MTime: wal.Time(s.Sec, s.Nsec), Target: string(s.Target), Attributes: s.Attrs}
}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// errTorn says of a record or a frame that it is incomplete or damaged.
	errTorn = fmt.Errorf("journal: %w", wal.ErrTorn)
)

// encode appends the frame of r to b. It returns where r.data begins in b.
func (r *record) encode(b []byte) ([]byte, int64, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return b, 0, fmt.Errorf("journal: %s record: %w", r.Type, err)
	}
	start := len(b)
	b = binary.LittleEndian.AppendUint32(wal.Begin(b), uint32(len(text)))
	b = append(b, text...)
	data := int64(len(b))
	if b, err = wal.Finish(append(b, r.data...), start); err != nil {
		return b, 0, fmt.Errorf("journal: %s record: %w", r.Type, err)
	}
	return b, data, nil
}

// decode reads the body of a frame. The record's data is a part of it, and at
// is where it begins.
func decode(body []byte) (record, error) {
	var r record
	if len(body) < 4 {
		return r, errTorn
	}
	text := binary.LittleEndian.Uint32(body)
	if uint64(text) > uint64(len(body)-4) {
		return r, errTorn
	}
	if err := json.Unmarshal(body[4:4+text], &r); err != nil {
		return r, fmt.Errorf("%w: %w", errTorn, err)
	}
	r.data = body[4+text:]
	r.at = 4 + int64(text)
	return r, r.check()
}

// about returns records of one type about many changes, none of them too long.
func about(kind string, ids []string) []record {
	var recs []record
	for part := range slices.Chunk(ids, 1000) {
		recs = append(recs, record{Type: kind, IDs: part})
	}
	return recs
}

// inline is how much data the record has.
func (r *record) inline() int64 {
	switch {
	case r.Type == recImage && !r.Parts:
		return r.State.Size
	case r.Type == recKeep:
		return r.Keep.Inline
	}
	return 0
}

// check refuses values that the tables could not hold.
func (r *record) check() error {
	if len(r.Name) > at.MaxName || len(r.Path) > math.MaxUint16 || len(r.data) > maxInline {
		return fmt.Errorf("%w: %s record out of bounds", errTorn, r.Type)
	}
	if k := r.Keep; k != nil && (k.Inline < 0 || k.Inline != int64(len(r.data)) && r.data != nil || len(k.File) > at.MaxName || len(k.Name) > at.MaxName) {
		return fmt.Errorf("%w: %s record out of bounds", errTorn, r.Type)
	}
	if r.State != nil && (r.State.Size < 0 || r.State.Nsec < 0 || r.State.Nsec > 999999999 || len(r.State.Target) > maxPathLen) {
		return fmt.Errorf("%w: %s record out of bounds", errTorn, r.Type)
	}
	return nil
}
