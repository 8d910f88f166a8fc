package macho

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of what is read.
const (
	maxFile      = 512 << 20
	maxSignature = 16 << 20
	maxSegment   = 256 << 20
	maxSlices    = 8
)

// Load commands that debug/macho leaves alone (mach-o/loader.h).
const (
	loadCodeSignature = 0x1d
	loadBuildVersion  = 0x32
)

// platformMacOS is PLATFORM_MACOS of mach-o/loader.h.
const platformMacOS = 1

// Program is one slice of a file: a program or library for one processor.
type Program struct {
	Arch      string     // as GOARCH: "amd64", "arm64"; else the processor's number
	Kind      Kind       //
	MacOS     bool       // made for macOS
	MinOS     string     // oldest version of macOS that it runs on, "" when not said
	Libraries []string   // as they are looked up when it starts
	Signature *Signature // nil: not signed

	text []byte // segment __TEXT
}

// Kind says what a Program is.
type Kind string

// Kinds that a pack may have.
const (
	Executable Kind = "executable"
	Library    Kind = "library"
	Other      Kind = "other"
)

// Is tells from the first bytes of a file whether it claims to be for macOS.
func Is(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	le, be := binary.LittleEndian.Uint32(head), binary.BigEndian.Uint32(head)
	return le == macho.Magic32 || le == macho.Magic64 || be == macho.Magic32 || be == macho.Magic64 || be == macho.MagicFat || be == 0xcafebabf
}

// Read returns the slices of a file of a size in bytes.
func Read(r io.ReaderAt, size int64) ([]Program, error) {
	if size <= 0 || size > maxFile {
		return nil, fmt.Errorf("mach-o: %d bytes", size)
	}
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("mach-o: %w", err)
	}
	if binary.BigEndian.Uint32(head[:]) != macho.MagicFat {
		p, err := readSlice(io.NewSectionReader(r, 0, size), size)
		if err != nil {
			return nil, fmt.Errorf("mach-o: %w", err)
		}
		return []Program{p}, nil
	}
	if n := binary.BigEndian.Uint32(head[4:]); n == 0 || n > maxSlices {
		return nil, fmt.Errorf("mach-o: %d slices", n)
	}
	fat, err := macho.NewFatFile(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("mach-o: %w", err)
	}
	var all []Program
	for _, a := range fat.Arches {
		if int64(a.Offset)+int64(a.Size) > size {
			return nil, errors.New("mach-o: a slice goes past the end")
		}
		p, err := readSlice(io.NewSectionReader(r, int64(a.Offset), int64(a.Size)), int64(a.Size))
		if err != nil {
			return nil, fmt.Errorf("mach-o: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

func readSlice(r io.ReaderAt, size int64) (Program, error) {
	f, err := macho.NewFile(r)
	if err != nil {
		return Program{}, err
	}
	p := Program{Arch: archOf(f.Cpu), Kind: kindOf(f.Type)}
	if p.Libraries, err = f.ImportedLibraries(); err != nil {
		return p, err
	}
	for _, l := range f.Loads {
		raw := l.Raw()
		if len(raw) < 16 {
			continue
		}
		word := func(i int) uint32 { return f.ByteOrder.Uint32(raw[4*i:]) }
		switch word(0) {
		case loadBuildVersion:
			p.MacOS = word(2) == platformMacOS
			p.MinOS = versionOf(word(3))
		case uint32(macho.LoadCmdSegment64):
			s, ok := l.(*macho.Segment)
			if !ok || s.Name != "__TEXT" {
				continue
			}
			if p.text, err = section(r, size, int64(s.Offset), int64(s.Filesz), maxSegment); err != nil {
				return p, fmt.Errorf("segment __TEXT: %w", err)
			}
		case loadCodeSignature:
			if p.Signature != nil {
				return p, errors.New("two signatures")
			}
			data, err := section(r, size, int64(word(2)), int64(word(3)), maxSignature)
			if err != nil {
				return p, fmt.Errorf("signature: %w", err)
			}
			if p.Signature, err = readSignature(data); err != nil {
				return p, fmt.Errorf("signature: %w", err)
			}
		}
	}
	return p, nil
}

// section reads a part of a file that has to lie in it.
func section(r io.ReaderAt, size, offset, length, most int64) ([]byte, error) {
	if offset < 0 || length < 0 || length > most || offset > size || length > size-offset {
		return nil, fmt.Errorf("%d bytes at %d of %d", length, offset, size)
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(r, offset, length), data); err != nil {
		return nil, err
	}
	return data, nil
}

// Names tells which of the words the program has as constants of their own:
// strings that begin after a zero byte and end with one. QEMU keeps the names of
// devices and accelerators so.
func (p Program) Names(words []string) map[string]bool {
	found := map[string]bool{}
	for _, w := range words {
		if bytes.Contains(p.text, []byte("\x00"+w+"\x00")) {
			found[w] = true
		}
	}
	return found
}

func archOf(c macho.Cpu) string {
	switch c {
	case macho.CpuAmd64:
		return "amd64"
	case macho.CpuArm64:
		return "arm64"
	}
	return fmt.Sprintf("cpu%#x", uint32(c))
}

func kindOf(t macho.Type) Kind {
	switch t {
	case macho.TypeExec:
		return Executable
	case macho.TypeDylib:
		return Library
	}
	return Other
}

// versionOf is a version as load commands pack it: 16.8.8 bits.
func versionOf(v uint32) string { return fmt.Sprintf("%d.%d", v>>16, v>>8&0xff) }
