package operate

import (
	"encoding/binary"
	"hash/crc32"
	"unicode/utf8"

	"github.com/klauspost/compress/zip"
	"golang.org/x/text/encoding/charmap"
)

// zipName is the name of an entry of a ZIP. One that is not said to be in UTF-8 should
// be in the letters of DOS (APPNOTE.TXT, appendix D), and is in UTF-8 all the same where
// programs of Linux and macOS wrote it; some write it once more, in UTF-8 (4.6.9).
func zipName(h zip.FileHeader) string {
	const inUTF8 = 0x800
	if h.Flags&inUTF8 != 0 {
		return h.Name
	}
	const unicodePath, sum = 0x7075, 5 // version 1, and the checksum of the name that it is for
	for x := h.Extra; len(x) >= 4; {
		id, n := binary.LittleEndian.Uint16(x), int(binary.LittleEndian.Uint16(x[2:]))
		if n > len(x)-4 {
			break
		}
		field := x[4 : 4+n]
		if id == unicodePath && n > sum && field[0] == 1 && binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(h.Name)) && utf8.Valid(field[sum:]) {
			return string(field[sum:])
		}
		x = x[4+n:]
	}
	if utf8.ValidString(h.Name) {
		return h.Name
	}
	name, err := charmap.CodePage437.NewDecoder().String(h.Name)
	if err != nil {
		return h.Name
	}
	return name
}
