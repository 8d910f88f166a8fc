package macho

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Magic numbers and slots of a code signature (xnu, osfmk/kern/cs_blobs.h).
const (
	magicSuperBlob     = 0xfade0cc0
	magicCodeDirectory = 0xfade0c02
	magicEntitlements  = 0xfade7171
	magicCMS           = 0xfade0b01

	flagAdHoc   = 0x2
	flagRuntime = 0x10000

	maxBlobs = 64
)

// Signature is what a code signature says.
type Signature struct {
	Identifier   string
	Team         string          // "" for a developer's own
	AdHoc        bool            // nobody vouches for it
	Hardened     bool            // hardened runtime, as notarisation asks for
	CMS          bool            // there is a signature by a certificate
	Entitlements map[string]bool // those that are yes or no; others are false here
}

// readSignature reads an embedded signature: a super blob.
func readSignature(data []byte) (*Signature, error) {
	if len(data) < 12 || binary.BigEndian.Uint32(data) != magicSuperBlob {
		return nil, errors.New("not an embedded signature")
	}
	length, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if int64(length) > int64(len(data)) || count > maxBlobs || int64(length) < 12+8*int64(count) {
		return nil, fmt.Errorf("%d bytes with %d blobs", length, count)
	}
	data = data[:length]
	s := &Signature{Entitlements: map[string]bool{}}
	directory, entitlements := false, false
	for i := range int(count) {
		offset := binary.BigEndian.Uint32(data[12+8*i+4:])
		if int64(offset)+8 > int64(len(data)) {
			return nil, fmt.Errorf("blob %d is outside", i)
		}
		blob := data[offset:]
		n := binary.BigEndian.Uint32(blob[4:])
		if n < 8 || int64(n) > int64(len(blob)) {
			return nil, fmt.Errorf("blob %d has %d bytes", i, n)
		}
		blob = blob[:n]
		switch binary.BigEndian.Uint32(blob) {
		case magicCodeDirectory:
			// There may be one for each hash; the first is what counts.
			if directory {
				continue
			}
			directory = true
			if err := s.readDirectory(blob); err != nil {
				return nil, err
			}
		case magicEntitlements:
			if entitlements {
				return nil, errors.New("entitlements twice")
			}
			entitlements = true
			if err := readEntitlements(blob[8:], s.Entitlements); err != nil {
				return nil, fmt.Errorf("entitlements: %w", err)
			}
		case magicCMS:
			s.CMS = len(blob) > 8
		}
	}
	if !directory {
		return nil, errors.New("no code directory")
	}
	return s, nil
}

// readDirectory reads flags and names of a code directory.
func (s *Signature) readDirectory(blob []byte) error {
	if len(blob) < 44 {
		return errors.New("short code directory")
	}
	word := func(at int) uint32 { return binary.BigEndian.Uint32(blob[at:]) }
	version, flags := word(8), word(12)
	s.AdHoc, s.Hardened = flags&flagAdHoc != 0, flags&flagRuntime != 0
	var err error
	if s.Identifier, err = stringAt(blob, word(20)); err != nil {
		return err
	}
	if version >= 0x20200 && len(blob) >= 52 && word(48) != 0 {
		s.Team, err = stringAt(blob, word(48))
	}
	return err
}

func stringAt(blob []byte, at uint32) (string, error) {
	if int64(at) >= int64(len(blob)) {
		return "", errors.New("a name is outside")
	}
	name, _, ok := bytes.Cut(blob[at:], []byte{0})
	if !ok || len(name) > 255 {
		return "", errors.New("a name without an end")
	}
	return string(name), nil
}

// readEntitlements reads a property list of one dictionary in XML.
func readEntitlements(data []byte, into map[string]bool) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Entity = map[string]string{}
	depth, key, dicts := 0, "", 0
	seen := map[string]bool{}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			if dicts != 1 {
				return errors.New("no dictionary")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			switch {
			case depth == 2:
				if t.Name.Local != "dict" || dicts > 0 {
					return fmt.Errorf("a %s at the top", t.Name.Local)
				}
				dicts++
			case depth == 3 && t.Name.Local == "key":
				if err := d.DecodeElement(&key, &t); err != nil {
					return err
				}
				depth--
				key = strings.TrimSpace(key)
				if key == "" || seen[key] || len(seen) > 1000 {
					return fmt.Errorf("the key %q", key)
				}
				seen[key] = true
			case depth == 3:
				if key == "" {
					return errors.New("a value without a key")
				}
				into[key] = t.Name.Local == "true"
				key = ""
			}
		case xml.EndElement:
			depth--
		}
	}
}
