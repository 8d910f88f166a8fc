// Package machotest forges programs for macOS, as far as package macho reads
// them. They could not run anywhere.
package machotest

import (
	"bytes"
	"cmp"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"strings"
)

// Options say what a forged program is.
type Options struct {
	Arch         string // "amd64" or "arm64"
	Library      bool
	Platform     uint32 // 0 is macOS
	Libraries    []string
	Names        []string // constants
	Unsigned     bool
	Identifier   string
	Team         string
	AdHoc        bool
	Hardened     bool
	CMS          bool
	Entitlements []string // granted; "!x" is refused
	Plist        string   // in place of a property list with Entitlements
}

// Notarised are options of a program that Apple would accept.
func Notarised(o Options) Options {
	o.Team, o.Hardened, o.CMS, o.AdHoc = "TEAM123456", true, true, false
	return o
}

// Forge returns the bytes of a thin file.
func Forge(o Options) []byte {
	le := binary.LittleEndian
	cpu, sub := macho.CpuAmd64, uint32(3)
	if o.Arch == "arm64" {
		cpu, sub = macho.CpuArm64, 0
	}
	kind := macho.TypeExec
	if o.Library {
		kind = macho.TypeDylib
	}
	platform := cmp.Or(o.Platform, 1)
	var loads [][]byte
	for _, l := range o.Libraries {
		name := append([]byte(l), 0)
		for len(name)%8 != 0 {
			name = append(name, 0)
		}
		c := make([]byte, 24)
		le.PutUint32(c, uint32(macho.LoadCmdDylib))
		le.PutUint32(c[4:], uint32(24+len(name)))
		le.PutUint32(c[8:], 24)
		loads = append(loads, append(c, name...))
	}
	version := make([]byte, 24)
	le.PutUint32(version, 0x32)
	le.PutUint32(version[4:], 24)
	le.PutUint32(version[8:], platform)
	le.PutUint32(version[12:], 12<<16)
	loads = append(loads, version)

	segment := make([]byte, 72)
	le.PutUint32(segment, uint32(macho.LoadCmdSegment64))
	le.PutUint32(segment[4:], 72)
	copy(segment[8:], "__TEXT")
	loads = append(loads, segment)
	var sign []byte
	if !o.Unsigned {
		sign = make([]byte, 16)
		le.PutUint32(sign, 0x1d)
		le.PutUint32(sign[4:], 16)
		loads = append(loads, sign)
	}
	size := 32
	for _, l := range loads {
		size += len(l)
	}
	text := []byte("\x00" + strings.Join(o.Names, "\x00") + "\x00")
	le.PutUint64(segment[40:], uint64(size))
	le.PutUint64(segment[48:], uint64(len(text)))
	var signature []byte
	if !o.Unsigned {
		signature = Signature(o)
		le.PutUint32(sign[8:], uint32(size+len(text)))
		le.PutUint32(sign[12:], uint32(len(signature)))
	}

	var b bytes.Buffer
	header := make([]byte, 32)
	le.PutUint32(header, macho.Magic64)
	le.PutUint32(header[4:], uint32(cpu))
	le.PutUint32(header[8:], sub)
	le.PutUint32(header[12:], uint32(kind))
	le.PutUint32(header[16:], uint32(len(loads)))
	le.PutUint32(header[20:], uint32(size-32))
	b.Write(header)
	for _, l := range loads {
		b.Write(l)
	}
	b.Write(text)
	b.Write(signature)
	return b.Bytes()
}

// Signature returns a super blob.
func Signature(o Options) []byte {
	be := binary.BigEndian
	flags := uint32(0)
	if o.AdHoc {
		flags |= 0x2
	}
	if o.Hardened {
		flags |= 0x10000
	}
	directory := make([]byte, 52)
	be.PutUint32(directory[8:], 0x20400)
	be.PutUint32(directory[12:], flags)
	be.PutUint32(directory[20:], 52)
	directory = append(append(directory, o.Identifier...), 0)
	if o.Team != "" {
		be.PutUint32(directory[48:], uint32(len(directory)))
		directory = append(append(directory, o.Team...), 0)
	}
	plist := o.Plist
	if plist == "" {
		plist = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
			`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "PropertyList-1.0.dtd">` + "\n<plist version=\"1.0\"><dict>\n"
		for _, e := range o.Entitlements {
			name, no := strings.CutPrefix(e, "!")
			plist += fmt.Sprintf("<key>%s</key><%t/>\n", name, !no)
		}
		plist += "</dict></plist>\n"
	}
	blobs := []struct {
		slot, magic uint32
		data        []byte
	}{{0, 0xfade0c02, directory}, {5, 0xfade7171, append(make([]byte, 8), plist...)}}
	if o.CMS {
		blobs = append(blobs, struct {
			slot, magic uint32
			data        []byte
		}{0x10000, 0xfade0b01, append(make([]byte, 8), "certificate"...)})
	}
	head := make([]byte, 12+8*len(blobs))
	be.PutUint32(head, 0xfade0cc0)
	be.PutUint32(head[8:], uint32(len(blobs)))
	out := head
	for i, blob := range blobs {
		be.PutUint32(out[12+8*i:], blob.slot)
		be.PutUint32(out[12+8*i+4:], uint32(len(out)))
		be.PutUint32(blob.data, blob.magic)
		be.PutUint32(blob.data[4:], uint32(len(blob.data)))
		out = append(out, blob.data...)
	}
	be.PutUint32(out[4:], uint32(len(out)))
	return out
}

// Fat joins thin files.
func Fat(thin ...[]byte) []byte {
	be := binary.BigEndian
	head := make([]byte, 8+20*len(thin))
	be.PutUint32(head, macho.MagicFat)
	be.PutUint32(head[4:], uint32(len(thin)))
	out := head
	for i, t := range thin {
		for len(out)%16 != 0 {
			out = append(out, 0)
		}
		e := out[8+20*i:]
		be.PutUint32(e, binary.LittleEndian.Uint32(t[4:]))
		be.PutUint32(e[4:], binary.LittleEndian.Uint32(t[8:]))
		be.PutUint32(e[8:], uint32(len(out)))
		be.PutUint32(e[12:], uint32(len(t)))
		be.PutUint32(e[16:], 4)
		out = append(out, t...)
	}
	return out
}
