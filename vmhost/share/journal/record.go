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

// inline is what a record has in the log behind its JSON.
type inline struct {
	data []byte // while the record is written or read
	at   int64  // where it stands in the log; > 0 when it is there
}

// inlineOf returns what r has behind its JSON and how many bytes that is.
func inlineOf(r record) (*inline, int64) {
	switch r := r.(type) {
	case imageRecord:
		if r.inline != nil && !r.Parts {
			return r.inline, r.State.Size
		}
	case keepRecord:
		return r.inline, r.Keep.Inline
	}
	return nil, 0
}

// encode appends the frame of r to b. It returns where data begins in b.
func encode(b []byte, r record, when time.Time, data []byte) ([]byte, int64, error) {
	fields, err := json.Marshal(r)
	if err != nil {
		return b, 0, fmt.Errorf("journal: %s record: %w", r.kind(), err)
	}
	text := fmt.Appendf(nil, `{"k":%q,"t":%d`, r.kind(), when.UnixMilli())
	if len(fields) > len("{}") {
		text = append(text, ',')
	}
	text = append(text, fields[1:]...)
	start := len(b)
	b = binary.LittleEndian.AppendUint32(wal.Begin(b), uint32(len(text)))
	b = append(b, text...)
	off := int64(len(b))
	if b, err = wal.Finish(append(b, data...), start); err != nil {
		return b, 0, fmt.Errorf("journal: %s record: %w", r.kind(), err)
	}
	return b, off, nil
}

// decode reads the body of a frame.
func decode(body []byte) (r record, when time.Time, err error) {
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
		State *state `json:"s"`
	}
	text, c := body[4:4+n], &inline{data: body[4+n:], at: 4 + int64(n)}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, when, fmt.Errorf("%w: %w", errTorn, err)
	}
	// Values that the tables could not hold.
	s := head.State
	if len(head.Name) > at.MaxName || len(head.Path) > math.MaxUint16 || len(c.data) > maxInline ||
		s != nil && (s.Size < 0 || s.Nsec < 0 || s.Nsec > 999999999 || len(s.Target) > maxPathLen) {
		return nil, when, fmt.Errorf("%w: %s record out of bounds", errTorn, head.Kind)
	}
	if parse := kinds[head.Kind]; parse == nil {
		r = unknownRecord(head.Kind)
	} else if r, err = parse(text, c); err != nil {
		return nil, when, fmt.Errorf("%w: %w", errTorn, err)
	}
	if x, ok := r.(keepRecord); ok && x.Keep != nil {
		if k := x.Keep; k.Inline < 0 || k.Inline != int64(len(c.data)) || len(k.File) > at.MaxName || len(k.Name) > at.MaxName {
			return nil, when, fmt.Errorf("%w: keep record out of bounds", errTorn)
		}
	}
	return r, time.UnixMilli(head.Time), nil
}

func read[R record](text []byte, _ *inline) (record, error) {
	var r R
	err := json.Unmarshal(text, &r)
	return r, err
}

// idList is the form of records about many changes.
type idList struct {
	IDs []string `json:"ids,omitempty"`
}

// about returns such records, none of them too long.
func about[R interface {
	~struct {
		IDs []string `json:"ids,omitempty"`
	}
	record
}](ids []string) []record {
	var recs []record
	for part := range slices.Chunk(ids, 1000) {
		recs = append(recs, R(idList{part}))
	}
	return recs
}
