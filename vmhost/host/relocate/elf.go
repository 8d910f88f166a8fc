package relocate

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// Sizes in the format, for 64 bits (elf(5)).
const (
	headerSize  = 64
	segmentSize = 56
	entrySize   = 16 // of the dynamic section
)

// Where things are in the header.
const (
	segmentsAt     = 32
	segmentSizeAt  = 54
	segmentCountAt = 56
)

var (
	order        = binary.LittleEndian
	errOther     = errors.New("no program for 64 bits as it is known")
	errNoRoom    = errors.New("a program without room for where its libraries are")
	errTruncated = errors.New("a program that is cut off")
)

// program is a program with its interpreter and its libraries below the root. Where it has
// no interpreter, it needs neither.
//
// What is added stands at the end of the file, in a segment of its own, which takes the
// place of a note in the table of segments: a name in the table of strings, which is copied
// for it, and the path of the interpreter.
func (r root) program(b []byte) ([]byte, error) {
	segments, err := segmentsOf(b)
	if err != nil {
		return nil, err
	}
	find := func(kind elf.ProgType) int {
		return slices.IndexFunc(segments, func(s elf.Prog64) bool { return elf.ProgType(s.Type) == kind })
	}
	interp, dynamic := find(elf.PT_INTERP), find(elf.PT_DYNAMIC)
	if interp < 0 || dynamic < 0 {
		return b, nil
	}
	interpreter, err := part(b, segments[interp].Off, segments[interp].Filesz)
	if err != nil {
		return nil, err
	}
	align, end := uint64(0x1000), uint64(0)
	for _, s := range segments {
		if elf.ProgType(s.Type) == elf.PT_LOAD {
			align, end = max(align, s.Align), max(end, s.Vaddr+s.Memsz)
		}
	}
	if align&(align-1) != 0 || align > 1<<24 || end > 1<<47 {
		return nil, errOther
	}
	table := dynamicOf(b, segments, segments[dynamic])
	if table == nil {
		return nil, errTruncated
	}
	text := []byte(r.dir + strings.TrimRight(string(interpreter), "\x00") + "\x00")
	room := uint64(len(text))
	at, offset := up(end, align), up(uint64(len(b)), align)
	if err := table.setPath(r.search(), at+room); err != nil {
		return nil, err
	}
	text = append(text, table.strings...)
	added := elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: offset, Vaddr: at, Paddr: at,
		Filesz: uint64(len(text)), Memsz: uint64(len(text)), Align: align,
	}
	segments[interp].Off, segments[interp].Vaddr, segments[interp].Paddr = offset, at, at
	segments[interp].Filesz, segments[interp].Memsz = room, room
	note := find(elf.PT_NOTE)
	if note < 0 {
		return nil, errNoRoom
	}
	segments = slices.Delete(segments, note, note+1)
	last := 0
	for i, s := range segments {
		if elf.ProgType(s.Type) == elf.PT_LOAD {
			last = i
		}
	}
	segments = slices.Insert(segments, last+1, added) // they are in the order of their addresses
	out := make([]byte, offset, offset+uint64(len(text)))
	copy(out, b)
	table.write(out)
	var encoded bytes.Buffer
	if err := binary.Write(&encoded, order, segments); err != nil {
		return nil, err
	}
	copy(out[order.Uint64(b[segmentsAt:]):], encoded.Bytes())
	return append(out, text...), nil
}

// search is the list of directories for ld.so.
func (r root) search() string {
	var all []string
	for _, dir := range r.libraries {
		all = append(all, r.dir+dir)
	}
	return strings.Join(all, ":")
}

// segmentsOf reads the table of segments.
func segmentsOf(b []byte) ([]elf.Prog64, error) {
	if len(b) < headerSize || b[elf.EI_CLASS] != byte(elf.ELFCLASS64) || b[elf.EI_DATA] != byte(elf.ELFDATA2LSB) || order.Uint16(b[segmentSizeAt:]) != segmentSize {
		return nil, errOther
	}
	segments := make([]elf.Prog64, order.Uint16(b[segmentCountAt:]))
	data, err := part(b, order.Uint64(b[segmentsAt:]), uint64(len(segments)*segmentSize))
	if err != nil {
		return nil, err
	}
	return segments, binary.Read(bytes.NewReader(data), order, segments)
}

// part is a piece of a file.
func part(b []byte, at, size uint64) ([]byte, error) {
	if at > uint64(len(b)) || size > uint64(len(b))-at {
		return nil, errTruncated
	}
	return b[at : at+size], nil
}

func up(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }

// dynamicTable is what ld.so reads of a program, with its strings.
type dynamicTable struct {
	at      uint64 // in the file
	entries []elf.Dyn64
	strings []byte
}

// dynamicOf reads the dynamic section; nil for one that makes no sense.
func dynamicOf(b []byte, segments []elf.Prog64, s elf.Prog64) *dynamicTable {
	data, err := part(b, s.Off, s.Filesz)
	if err != nil {
		return nil
	}
	t := &dynamicTable{at: s.Off, entries: make([]elf.Dyn64, len(data)/entrySize)}
	if binary.Read(bytes.NewReader(data), order, t.entries) != nil {
		return nil
	}
	names, size := t.find(elf.DT_STRTAB), t.find(elf.DT_STRSZ)
	if names < 0 || size < 0 {
		return nil
	}
	for _, l := range segments {
		if at := t.entries[names].Val; elf.ProgType(l.Type) == elf.PT_LOAD && at >= l.Vaddr && at < l.Vaddr+l.Filesz {
			text, err := part(b, at-l.Vaddr+l.Off, t.entries[size].Val)
			if err != nil {
				return nil
			}
			t.strings = slices.Clone(text)
			return t
		}
	}
	return nil
}

// find is where an entry is, before the end of the table; -1 for nowhere.
func (t *dynamicTable) find(tag elf.DynTag) int {
	for i, e := range t.entries {
		switch elf.DynTag(e.Tag) {
		case tag:
			return i
		case elf.DT_NULL:
			return -1
		}
	}
	return -1
}

// setPath adds where libraries are, before all other places. The strings will be at an
// address of their own.
func (t *dynamicTable) setPath(libraries string, address uint64) error {
	i := max(t.find(elf.DT_RPATH), t.find(elf.DT_RUNPATH))
	switch end := t.find(elf.DT_NULL); {
	case i >= 0:
		old, _, _ := bytes.Cut(t.strings[min(t.entries[i].Val, uint64(len(t.strings))):], []byte{0})
		libraries += ":" + string(old)
	case end < 0 || end+1 >= len(t.entries):
		return errNoRoom
	default:
		i = end // the next one is null, too: a linker leaves some
		if elf.DynTag(t.entries[i+1].Tag) != elf.DT_NULL {
			return errNoRoom
		}
	}
	t.entries[i] = elf.Dyn64{Tag: int64(elf.DT_RPATH), Val: uint64(len(t.strings))}
	t.strings = append(append(t.strings, libraries...), 0)
	t.entries[t.find(elf.DT_STRTAB)].Val = address
	t.entries[t.find(elf.DT_STRSZ)].Val = uint64(len(t.strings))
	return nil
}

// write puts the table back.
func (t *dynamicTable) write(b []byte) {
	for i, e := range t.entries {
		order.PutUint64(b[t.at+uint64(i*entrySize):], uint64(e.Tag))
		order.PutUint64(b[t.at+uint64(i*entrySize)+8:], e.Val)
	}
}
