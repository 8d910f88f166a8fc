// Package ledger knows what the log of a journal says: its records, one struct for each
// kind, and the tables that they make, all in memory. It touches no folder.
//
//   - [Object]: an inode that the task came near, as it was or as made by it.
//   - [Entry]: a name whose meaning the task changed.
//   - [Kept]: how an undo found what it took back, for redo.
//
// The list of changes is computed from the tables ([Ledger.Changes]), and so is what a
// choice of changes depends on: a [Step] says what undo has to do for a change.
// Reading the log again gives the same tables; [Ledger.Records] is the shortest log
// that does.
package ledger

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
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
	Magic      = "piwork-journal-1\n"
	MaxInline  = 64 << 10 // content up to this size is kept in the log
	MaxPathLen = 4096     // bytes of a path inside a folder
)

// State is what an object was or is.
type State struct {
	Mode   uint32 `json:"m"`
	Size   int64  `json:"z"`
	Sec    int64  `json:"s"`
	Nsec   int64  `json:"n"`
	CSec   int64  `json:"cs,omitempty"`
	CNsec  int64  `json:"cn,omitempty"`
	Sum    string `json:"h,omitempty"` // SHA-256, hex
	Target Raw    `json:"l,omitempty"` // of a symbolic link
	Links  uint64 `json:"k,omitempty"` // names of a file, when there are several
	Attrs  string `json:"a,omitempty"` // digest of the extended attributes, where the task changed them
	Equal  bool   `json:"e,omitempty"` // found equal to before, part by part
	Lost   bool   `json:"x,omitempty"` // the task's own state is not known
}

// Raw is a string whose bytes survive JSON.
type Raw = wal.Raw

// StateOf is the state that info says.
func StateOf(info at.Info) State {
	size := info.Size
	if info.Kind == at.Directory {
		size = 0 // what the file system needs for it says nothing
	}
	links := uint64(0)
	if info.Kind != at.Directory && info.NLink > 1 {
		links = info.NLink
	}
	return State{
		Mode: info.Mode, Size: size, Links: links,
		Sec: info.MTime.Unix(), Nsec: int64(info.MTime.Nanosecond()),
		CSec: info.CTime.Unix(), CNsec: int64(info.CTime.Nanosecond()),
	}
}

// MTime is the time of the last change of the content.
func (s State) MTime() time.Time { return time.Unix(s.Sec, s.Nsec).UTC() }

// SameData reports whether size and time say that the content is the same.
// File systems of removable disks round times once a file leaves the cache.
func (s State) SameData(o State) bool {
	if s.Size != o.Size {
		return false
	}
	if s.Sec == o.Sec && s.Nsec == o.Nsec {
		return true
	}
	coarse := s.Nsec%1e7 == 0 || o.Nsec%1e7 == 0
	d := s.MTime().Sub(o.MTime())
	return coarse && d < 2*time.Second && d > -2*time.Second
}

// Untouched reports whether nothing at all happened to an inode between two
// looks: no program can set the time of its last change.
func (s State) Untouched(o State) bool {
	return s.Size == o.Size && s.Sec == o.Sec && s.Nsec == o.Nsec && s.Mode == o.Mode &&
		s.CSec == o.CSec && s.CNsec == o.CNsec && s.CSec != 0
}

func (s State) file() *FileState {
	return &FileState{SHA256: s.Sum, Size: s.Size, Mode: s.Mode, MTime: wal.Time(s.Sec, s.Nsec), Target: string(s.Target), Attributes: s.Attrs}
}

var (
	// errTorn says of a record or a frame that it is incomplete or damaged.
	errTorn = fmt.Errorf("journal: %w", wal.ErrTorn)
)

// Inline is what a record has in the log behind its JSON.
type Inline struct {
	Data []byte // while the record is written or read
	At   int64  // where it stands in the log; > 0 when it is there
}

// InlineOf returns what r has behind its JSON and how many bytes that is.
func InlineOf(r Record) (*Inline, int64) {
	if r, ok := r.(ImageRecord); ok && r.Inline != nil && !r.Parts {
		return r.Inline, r.State.Size
	}
	return nil, 0
}

// Encode appends the frame of r to b. It returns where data begins in b.
func Encode(b []byte, r Record, when time.Time, data []byte) ([]byte, int64, error) {
	fields, err := json.Marshal(r)
	if err != nil {
		return b, 0, fmt.Errorf("journal: %s record: %w", kindOf(r), err)
	}
	start := len(b)
	b = append(wal.Begin(b), 0, 0, 0, 0)
	text := len(b)
	b = append(strconv.AppendQuote(append(b, `{"k":`...), kindOf(r)), `,"t":`...)
	b = strconv.AppendInt(b, when.UnixMilli(), 10)
	if len(fields) > len("{}") {
		b = append(b, ',')
	}
	b = append(b, fields[1:]...)
	binary.LittleEndian.PutUint32(b[text-4:], uint32(len(b)-text))
	off := int64(len(b))
	if b, err = wal.Finish(append(b, data...), start); err != nil {
		return b, 0, fmt.Errorf("journal: %s record: %w", kindOf(r), err)
	}
	return b, off, nil
}

// Decode reads the body of a frame.
func Decode(body []byte) (r Record, when time.Time, err error) {
	if len(body) < 4 {
		return nil, when, errTorn
	}
	n := binary.LittleEndian.Uint32(body)
	if uint64(n) > uint64(len(body)-4) {
		return nil, when, errTorn
	}
	var head struct {
		Kind  string `json:"k"`
		Time  int64  `json:"t"`
		Name  []byte `json:"n"`
		Path  []byte `json:"path"`
		State *State `json:"s"`
	}
	text, c := body[4:4+n], &Inline{Data: body[4+n:], At: 4 + int64(n)}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, when, fmt.Errorf("%w: %w", errTorn, err)
	}
	// Values that the tables could not hold.
	s := head.State
	if len(head.Name) > at.MaxName || len(head.Path) > math.MaxUint16 || len(c.Data) > MaxInline ||
		s != nil && (s.Size < 0 || s.Nsec < 0 || s.Nsec > 999999999 || len(s.Target) > MaxPathLen) {
		return nil, when, fmt.Errorf("%w: %s record out of bounds", errTorn, head.Kind)
	}
	known := kinds[head.Kind]
	if known == nil {
		return unknownRecord{}, time.UnixMilli(head.Time), nil
	}
	v := reflect.New(reflect.TypeOf(known))
	if err := json.Unmarshal(text, v.Interface()); err != nil {
		return nil, when, fmt.Errorf("%w: %w", errTorn, err)
	}
	if x, ok := v.Interface().(*ImageRecord); ok {
		x.Inline = c
	}
	r, _ = v.Elem().Interface().(Record)
	return r, time.UnixMilli(head.Time), nil
}

// idList is the form of records about many changes.
type idList struct {
	IDs []string `json:"ids,omitempty"`
}

// About returns such records, none of them too long.
func About[R interface {
	~struct {
		IDs []string `json:"ids,omitempty"`
	}
	Record
}](ids []string) []Record {
	var recs []Record
	for part := range slices.Chunk(ids, 1000) {
		recs = append(recs, R(idList{part}))
	}
	return recs
}
