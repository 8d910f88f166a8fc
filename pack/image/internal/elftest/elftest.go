// Package elftest makes tiny ELF files for tests.
package elftest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
)

// File is a 64-bit little-endian ELF file for x86-64.
type File struct {
	Interp   string            // PT_INTERP
	Needed   []string          // DT_NEEDED
	RunPath  string            // DT_RUNPATH
	Notes    []byte            // content of a PT_NOTE
	Sections map[string][]byte // further sections
}

// Note is one ELF note.
func Note(name string, kind uint32, desc []byte) []byte {
	var b bytes.Buffer
	put(&b, uint32(len(name)+1), uint32(len(desc)), kind)
	b.WriteString(name)
	b.Write(make([]byte, 4-len(name)%4)) // the end of the string and padding
	b.Write(desc)
	b.Write(make([]byte, (4-len(desc)%4)%4))
	return b.Bytes()
}

type section struct {
	name string
	kind elf.SectionType
	link uint32
	size uint64 // of an entry
	data []byte
}

// Bytes returns the file.
func (f File) Bytes() []byte {
	const headers = 64
	var dynstr, dynamic bytes.Buffer
	dynstr.WriteByte(0)
	str := func(s string) uint64 {
		at := dynstr.Len()
		dynstr.WriteString(s + "\x00")
		return uint64(at)
	}
	for _, n := range f.Needed {
		put(&dynamic, uint64(elf.DT_NEEDED), str(n))
	}
	if f.RunPath != "" {
		put(&dynamic, uint64(elf.DT_RUNPATH), str(f.RunPath))
	}
	put(&dynamic, uint64(elf.DT_NULL), uint64(0))

	sections := []section{{}}
	if len(f.Needed) > 0 || f.RunPath != "" {
		sections = append(sections,
			section{name: ".dynstr", kind: elf.SHT_STRTAB, data: dynstr.Bytes()},
			section{name: ".dynamic", kind: elf.SHT_DYNAMIC, link: 1, size: 16, data: dynamic.Bytes()})
	}
	names := make([]string, 0, len(f.Sections))
	for n := range f.Sections {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		sections = append(sections, section{name: n, kind: elf.SHT_PROGBITS, data: f.Sections[n]})
	}
	var shstr bytes.Buffer
	shstr.WriteByte(0)
	offsets := make([]uint32, len(sections)+1)
	for i, s := range append(sections, section{name: ".shstrtab"}) {
		if i > 0 {
			offsets[i] = uint32(shstr.Len())
			shstr.WriteString(s.name + "\x00")
		}
	}
	sections = append(sections, section{name: ".shstrtab", kind: elf.SHT_STRTAB, data: shstr.Bytes()})

	type prog struct {
		kind elf.ProgType
		data []byte
	}
	var progs []prog
	if f.Interp != "" {
		progs = append(progs, prog{elf.PT_INTERP, append([]byte(f.Interp), 0)})
	}
	if f.Notes != nil {
		progs = append(progs, prog{elf.PT_NOTE, f.Notes})
	}

	var body, ph, sh bytes.Buffer
	at := func() uint64 { return uint64(headers + 56*len(progs) + body.Len()) }
	for _, p := range progs {
		put(&ph, uint32(p.kind), uint32(4), at(), uint64(0), uint64(0), uint64(len(p.data)), uint64(len(p.data)), uint64(1))
		body.Write(p.data)
	}
	for i, s := range sections {
		off := at()
		if i == 0 {
			off = 0
		}
		put(&sh, offsets[i], uint32(s.kind), uint64(0), uint64(0), off, uint64(len(s.data)), s.link, uint32(0), uint64(1), s.size)
		body.Write(s.data)
	}
	var out bytes.Buffer
	out.Write([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	put(&out, uint16(elf.ET_DYN), uint16(elf.EM_X86_64), uint32(1), uint64(0), uint64(headers), at(), uint32(0),
		uint16(headers), uint16(56), uint16(len(progs)), uint16(64), uint16(len(sections)), uint16(len(sections)-1))
	out.Write(ph.Bytes())
	out.Write(body.Bytes())
	out.Write(sh.Bytes())
	return out.Bytes()
}

// put appends numbers; a bytes.Buffer takes all of them.
func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v)
	}
}
