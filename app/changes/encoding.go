package changes

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is how a text is written down.
type Encoding string

// Encodings. A text that is no UTF-8 and has no mark is taken as Latin-1, in the
// form that everybody uses (Windows-1252).
const (
	UTF8    Encoding = "utf-8"
	UTF8BOM Encoding = "utf-8-bom"
	UTF16LE Encoding = "utf-16le"
	UTF16BE Encoding = "utf-16be"
	Latin1  Encoding = "latin-1"
)

var boms = []struct {
	mark []byte
	Encoding
}{{[]byte{0xef, 0xbb, 0xbf}, UTF8BOM}, {[]byte{0xff, 0xfe}, UTF16LE}, {[]byte{0xfe, 0xff}, UTF16BE}}

// encodingOf says how the text that begins with head is encoded; "" is no text.
func encodingOf(head []byte, size int64) Encoding {
	for _, b := range boms {
		if bytes.HasPrefix(head, b.mark) {
			if b.Encoding != UTF8BOM && !plausible16(head[2:], b.Encoding) {
				return ""
			}
			if b.Encoding == UTF8BOM && !plausible8(head[3:], int64(len(head)) < size) {
				return ""
			}
			return b.Encoding
		}
	}
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return ""
	case plausible8(head, int64(len(head)) < size):
		return UTF8
	case tooManyControls(head):
		return ""
	default:
		return Latin1
	}
}

// plausible8 reports whether b is UTF-8 text, whose last rune may be cut.
func plausible8(b []byte, cut bool) bool {
	if cut {
		b = wholeRunes(b)
	}
	return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 && !tooManyControls(b)
}

// plausible16 reports whether b is UTF-16 text: it has no NUL.
func plausible16(b []byte, e Encoding) bool {
	for i := 0; i+1 < len(b); i += 2 {
		if unit(b[i:], e) == 0 {
			return false
		}
	}
	return true
}

func unit(b []byte, e Encoding) uint16 {
	if e == UTF16LE {
		return uint16(b[0]) | uint16(b[1])<<8
	}
	return uint16(b[1]) | uint16(b[0])<<8
}

// tooManyControls reports whether more of b are control characters than a text
// with a few escapes has.
func tooManyControls(b []byte) bool {
	n := 0
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n > 2 && n > len(b)/50
}

// wholeRunes drops a rune that is cut at the end of b.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			return b
		}
	}
	return b
}

// decode makes UTF-8 of a part of a text that begins at offset. Bytes that are
// none in its encoding become U+FFFD.
func (e Encoding) decode(b []byte, offset int64) string {
	switch e {
	case UTF8BOM:
		if offset == 0 {
			b = bytes.TrimPrefix(b, boms[0].mark)
		}
	case UTF16LE, UTF16BE:
		if offset == 0 && len(b) >= 2 {
			b = b[2:]
		}
		order := unicode.LittleEndian
		if e == UTF16BE {
			order = unicode.BigEndian
		}
		out, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(b[:len(b)&^1])
		if err != nil {
			return ""
		}
		return string(out)
	case Latin1:
		out, err := charmap.Windows1252.NewDecoder().Bytes(b)
		if err != nil {
			return ""
		}
		return string(out)
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}

// lineEnds counts line ends in a part of a text, and returns where the first
// line begins behind one; -1 where there is none.
func (e Encoding) lineEnds(b []byte) (n, first int) {
	first = -1
	switch e {
	case UTF16LE, UTF16BE:
		for i := 0; i+1 < len(b); i += 2 {
			if unit(b[i:], e) == '\n' {
				if n++; first < 0 {
					first = i + 2
				}
			}
		}
		return n, first
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		first = i + 1
	}
	return bytes.Count(b, []byte{'\n'}), first
}
