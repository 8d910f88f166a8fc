package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal"
)

const (
	magic      = "piwork-review-1\n"
	maxPathLen = 4096 // bytes of a path inside a folder
)

var errRecord = errors.New("review: a record that means nothing")

// record is one step of the log, whole or not there. Unknown fields are
// skipped, so that an older program can read what a newer one left.
type record struct {
	T      int64      `json:"t"`           // ns since 1970
	Layer  string     `json:"x,omitempty"` // the id of the layer
	Dev    *uint64    `json:"d,omitempty"` // the device that the folder lies on from here on
	Folder *at.ID     `json:"w,omitempty"` // what the folder is, as a directory
	Nodes  []nodeRec  `json:"n,omitempty"`
	Ranges []rangeRec `json:"r,omitempty"`
	Safe   []safeRec  `json:"s,omitempty"`
	Names  []nameRec  `json:"m,omitempty"`
	Clean  []uint64   `json:"c,omitempty"` // nodes that are as the original again
	More   bool       `json:"o,omitempty"` // the next record belongs to it: both are one step
	Void   bool       `json:"e,omitempty"` // what came before and is not whole did not happen
	Moved  *movedRec  `json:"v,omitempty"` // in the original
	Going  *movedRec  `json:"g,omitempty"` // Apply is about to move something there, or does not any more (To is "")
	Temp   raw        `json:"y,omitempty"` // Apply is about to make names that begin so in the original
	Lift   uint64     `json:"l,omitempty"` // Apply is about to move the original of this node to Temp
	NoTemp raw        `json:"z,omitempty"` // and it is gone again
}

// nodeRec is all that is remembered of a node.
type nodeRec struct {
	N     uint64  `json:"n"`
	Kind  at.Kind `json:"k"`
	Base  raw     `json:"b,omitempty"` // path in the original, "" for what the task made
	Orig  *stamp  `json:"s,omitempty"` // the original when the task first changed it
	Ino   at.ID   `json:"i,omitzero"`  // what guests know it by
	Mode  *uint32 `json:"m,omitempty"` // when the task set it
	ATime *moment `json:"ta,omitempty"`
	MTime *moment `json:"tm,omitempty"`
	CTime *moment `json:"tc,omitempty"`
	Times bool    `json:"tt,omitempty"` // of a directory: its time was set on purpose
	Attrs attrs   `json:"x,omitzero"`   // when the task changed one, all
	Had   string  `json:"xh,omitempty"` // digest of those of the original then
	Link  raw     `json:"l,omitempty"`  // target of a symbolic link that the task made
	Obj   uint64  `json:"o,omitempty"`  // objects/Obj has its content
	Part  bool    `json:"p,omitempty"`  // but only ranges of it
	Low   int64   `json:"w,omitempty"`  // what is not in the ranges and below is the original's
	Safe  *int64  `json:"z,omitempty"`  // so many bytes of the object are durable; nil: nothing is known
	Busy  bool    `json:"u,omitempty"`  // Apply is writing into its original
	From  raw     `json:"f,omitempty"`  // where its original was before Apply lifted it
}

// movedRec says that something has another path in the original from here on,
// and with it everything below.
type movedRec struct {
	From raw `json:"f"`
	To   raw `json:"t"`
}

// rangeRec says that granules of a node are in its object.
type rangeRec struct {
	N     uint64 `json:"n"`
	First int64  `json:"f"`
	Count int64  `json:"c"`
}

// safeRec says that an object is durable, and how long it is.
type safeRec struct {
	N    uint64 `json:"n"`
	Obj  uint64 `json:"o"`
	Size int64  `json:"z"`
}

// nameRec says what a name in a directory means.
type nameRec struct {
	E    uint64 `json:"e,omitempty"`
	Dir  uint64 `json:"p"`
	Name raw    `json:"n"`
	Node uint64 `json:"o,omitempty"` // 0: nothing
	Orig *stamp `json:"s,omitempty"` // what the original had there
	Hid  uint64 `json:"h,omitempty"` // the node of that
	Drop bool   `json:"d,omitempty"` // it means what it means in the original
	Free bool   `json:"f,omitempty"` // the original has nothing there any more
}

type raw = wal.Raw

// moment is a time that JSON's own may not be able to say.
type moment struct {
	Sec  int64 `json:"s"`
	Nsec int64 `json:"n,omitempty"`
}

func momentOf(t time.Time) moment { return moment{t.Unix(), int64(t.Nanosecond())} }

func (m moment) time() time.Time { return time.Unix(m.Sec, m.Nsec).UTC() }

// stamp is what an original was at one moment, to tell later whether somebody
// changed it since.
type stamp struct {
	Kind   at.Kind `json:"k"`
	Mode   uint32  `json:"m"`
	Size   int64   `json:"z,omitempty"`
	MTime  moment  `json:"t"`
	CTime  moment  `json:"c"`
	ID     at.ID   `json:"i"`
	Links  uint64  `json:"l,omitempty"`
	Sum    string  `json:"h,omitempty"` // SHA-256, hex; "" when nobody has read it
	Target raw     `json:"g,omitempty"` // of a symbolic link
}

func stampOf(info at.Info, target string) *stamp {
	s := &stamp{Kind: info.Kind, Mode: info.Mode, Size: info.Size, MTime: momentOf(info.MTime),
		CTime: momentOf(info.CTime), ID: info.ID, Links: max(info.NLink, 1), Target: raw(target)}
	if info.Kind == at.Directory {
		s.Size = 0 // what the file system needs for it says nothing
	}
	return s
}

// untouched reports whether nothing happened to the content of an original
// between two looks, as far as size and times tell. A change of its mode or
// names is none of the content.
func (s *stamp) untouched(now *stamp) bool {
	return s.Kind == now.Kind && s.Size == now.Size && s.MTime == now.MTime && s.Target == now.Target &&
		(s.ID.Ino == now.ID.Ino || s.ID.Ino == 0 || now.ID.Ino == 0 || s.CTime == now.CTime)
}

// file is a stamp as the list of changes has it.
func (s *stamp) file() *journal.FileState {
	return &journal.FileState{SHA256: s.Sum, Size: s.Size, Mode: s.Mode, MTime: wal.Time(s.MTime.Sec, s.MTime.Nsec), Target: string(s.Target)}
}

func decode(body []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, errors.Join(errRecord, err)
	}
	return r, r.check()
}

// check refuses values that the tables could not hold.
func (r *record) check() error {
	bad := len(r.Temp) > maxPathLen || len(r.NoTemp) > maxPathLen
	if r.Going != nil {
		bad = bad || len(r.Going.From) > maxPathLen || len(r.Going.To) > maxPathLen
	}
	if r.Moved != nil {
		bad = bad || len(r.Moved.From) > maxPathLen || len(r.Moved.To) > maxPathLen || r.Moved.From == "" || r.Moved.To == "" || r.Moved.From == "."
	}
	for _, n := range r.Nodes {
		bad = bad || n.N == 0 || len(n.Base) > maxPathLen || len(n.Link) > maxPathLen || len(n.From) > maxPathLen ||
			n.Low < 0 || n.Base != "" && n.Orig == nil || n.Kind < at.File || n.Kind > at.Special || n.Part && n.Obj == 0 ||
			n.Mode != nil && *n.Mode > 0o7777 || n.Orig.bad() || n.ATime.bad() || n.MTime.bad() || n.CTime.bad() ||
			n.Attrs.bad() || len(n.Had) > 64 || n.Attrs != nil && n.Kind != at.File && n.Kind != at.Directory ||
			n.Obj != 0 && n.Kind != at.File || n.Base == "" && n.Part || n.Safe != nil && (*n.Safe < 0 || n.Obj == 0)
	}
	for _, x := range r.Ranges {
		bad = bad || x.First < 0 || x.Count <= 0 || x.Count > maxPart/granule || x.First > maxPart/granule
	}
	for _, x := range r.Safe {
		bad = bad || x.Size < 0
	}
	for _, n := range r.Names {
		bad = bad || at.CheckName(string(n.Name)) != nil || n.Orig.bad() || n.E > math.MaxInt64/4
	}
	if bad {
		return fmt.Errorf("%w: out of bounds", errRecord)
	}
	return nil
}

func (m *moment) bad() bool { return m != nil && (m.Nsec < 0 || m.Nsec > 999999999) }

func (s *stamp) bad() bool {
	return s != nil && (s.Size < 0 || s.MTime.bad() || s.CTime.bad() || len(s.Target) > maxPathLen)
}
