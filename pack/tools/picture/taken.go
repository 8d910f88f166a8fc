package picture

import (
	"bytes"
	"encoding/binary"
	"io"
	"time"
)

// Taken says when a file was taken, by the clock of its camera, as [Info.Taken] has
// it; "" where it does not say, or has it at no known place. It reads no more than
// that needs, of TIFF and the raw files that are one (DNG, NEF, CR2, ARW and others),
// HEIC, AVIF, and of films in MP4 and QuickTime, whose clock counts in UTC: they get
// the zone of this computer.
func Taken(r io.ReaderAt, size int64) string {
	f := isoFile{r: r, size: size, left: maxBoxes}
	if head := f.bytes(0, 8); string(head[min(4, len(head)):]) != "ftyp" {
		return exifOf(r, size).taken
	}
	var exif, film, apple string
	seen := map[string]bool{} // of each the first counts: a hostile file has thousands
	first := func(kind string) bool {
		is := !seen[kind]
		seen[kind] = true
		return is
	}
	f.each(0, size, func(kind string, at, end int64) {
		switch {
		case kind == "meta" && first(kind):
			exif = f.exifItem(at, end)
		case kind == "moov" && first(kind):
			f.each(at, end, func(kind string, at, end int64) {
				switch {
				case kind == "mvhd" && first(kind):
					film = f.filmTime(at)
				case kind == "meta" && first("moov meta"):
					apple = f.appleTime(at, end)
				}
			})
		}
	})
	for _, taken := range []string{exif, apple, film} {
		if taken != "" {
			return taken
		}
	}
	return ""
}

// maxBoxes bounds how many boxes of a file are looked at.
const maxBoxes = 10_000

// isoFile looks at the boxes of a file (ISO/IEC 14496-12) at any place.
type isoFile struct {
	r    io.ReaderAt
	size int64
	left int // boxes that may still be looked at
}

// bytes reads a part; nil where that is too large or not there.
func (f *isoFile) bytes(at, end int64) []byte {
	if at < 0 || at > end || end > f.size || end-at > maxSegment {
		return nil
	}
	b := make([]byte, end-at)
	if _, err := f.r.ReadAt(b, at); err != nil {
		return nil
	}
	return b
}

// each calls take for every box of a part, with where its content begins and ends.
func (f *isoFile) each(at, end int64, take func(kind string, at, end int64)) {
	for ; f.left > 0 && at+8 <= end; f.left-- {
		b := f.bytes(at, at+8)
		if b == nil {
			return
		}
		head, size := int64(8), int64(binary.BigEndian.Uint32(b))
		switch size {
		case 0: // up to the end
			size = end - at
		case 1:
			large := f.bytes(at+8, at+16)
			if large == nil {
				return
			}
			head, size = 16, int64(min(binary.BigEndian.Uint64(large), 1<<62))
		}
		if size < head || size > end-at {
			return
		}
		take(string(b[4:]), at+head, at+size)
		at += size
	}
}

// seconds1904 is how long before 1970 the clock of films begins.
const seconds1904 = 2_082_844_800

// filmTime is when a film was made, by its head (mvhd). Cameras without a clock count
// from nowhere.
func (f *isoFile) filmTime(at int64) string {
	b := f.bytes(at, at+12)
	if b == nil {
		return ""
	}
	made := uint64(binary.BigEndian.Uint32(b[4:]))
	if b[0] == 1 {
		made = binary.BigEndian.Uint64(b[4:])
	}
	const most = 253402300799 // the end of the year 9999: RFC 3339 has no later one
	if made <= seconds1904 || made-seconds1904 > most {
		return ""
	}
	return time.Unix(int64(made)-seconds1904, 0).Format(time.RFC3339)
}

// appleTime is when a phone of Apple took a film, with its zone: a value by the
// number of its name (QuickTime File Format, metadata).
func (f *isoFile) appleTime(at, end int64) (taken string) {
	if b := f.bytes(at, at+8); b != nil && string(b[4:]) != "hdlr" { // as ISO has it, with a version
		at += 4
	}
	number := ""
	f.each(at, end, func(kind string, at, end int64) {
		switch kind {
		case "keys":
			n := uint32(0)
			f.each(at+8, end, func(_ string, at, end int64) {
				if n++; string(f.bytes(at, end)) == "com.apple.quicktime.creationdate" {
					number = string(binary.BigEndian.AppendUint32(nil, n))
				}
			})
		case "ilst":
			f.each(at, end, func(kind string, at, end int64) {
				if kind == number {
					f.each(at, end, func(_ string, at, end int64) {
						if t, err := time.Parse("2006-01-02T15:04:05-0700", string(f.bytes(at+8, end))); err == nil {
							taken = t.Format(time.RFC3339)
						}
					})
				}
			})
		}
	})
	return taken
}

// exifItem is when a picture was taken, by its Exif data: an item that one list (iinf)
// names, and another (iloc) finds (ISO/IEC 23008-12, A.2.1).
func (f *isoFile) exifItem(at, end int64) string {
	b := f.bytes(at, end)
	in := &isoFile{r: bytes.NewReader(b), size: int64(len(b)), left: f.left}
	var item uint64
	var places []byte
	var idat int64
	in.each(4, in.size, func(kind string, at, end int64) {
		switch kind {
		case "iinf":
			item = in.exifNumber(at, end)
		case "iloc":
			places = b[at:end]
		case "idat":
			idat = at
		}
	})
	if item == 0 {
		return ""
	}
	from, place := f, findItem(places, item)
	if place.within {
		from, place.at = in, place.at+idat
	}
	// Before Exif data stands how far it is to its beginning.
	n := from.bytes(place.at, place.at+4)
	if place.size < 4 || n == nil {
		return ""
	}
	skip := 4 + int64(binary.BigEndian.Uint32(n))
	size := min(place.size, from.size-place.at) - skip
	if size < 0 {
		return ""
	}
	return exifOf(io.NewSectionReader(from.r, place.at+skip, size), size).taken
}

// exifNumber is that of the item with Exif data, 0 where there is none.
func (f *isoFile) exifNumber(at, end int64) (item uint64) {
	if v := f.bytes(at, at+1); v == nil {
		return 0
	} else if v[0] > 0 { // the number of items has four bytes
		at += 2
	}
	f.each(at+6, end, func(_ string, at, end int64) {
		c := cursor{b: f.bytes(at, min(end, at+14))}
		wide := 2
		if c.uint(4)>>24 > 2 {
			wide = 4
		}
		number := c.uint(wide)
		c.uint(2) // how it is protected
		if c.uint(4) == 'E'<<24|'x'<<16|'i'<<8|'f' {
			item = number
		}
	})
	return item
}

// itemPlace is where an item is: in the file, or within the list of items itself.
type itemPlace struct {
	at, size int64
	within   bool
}

// findItem reads where an item begins (8.11.3).
func findItem(b []byte, item uint64) (p itemPlace) {
	c := cursor{b: b}
	version, sizes, wide := c.uint(4)>>24, c.uint(2), 2
	offset, length, base, index := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 {
		index = 0
	}
	if version > 1 {
		wide = 4
	}
	if offset+length == 0 {
		return p
	}
	for n := c.uint(wide); n > 0 && len(c.b) > 0; n-- {
		number, how := c.uint(wide), uint64(0)
		if version > 0 {
			how = c.uint(2)
		}
		c.uint(2) // in which file
		start := c.uint(base)
		for i := range c.uint(2) {
			c.uint(index)
			at, size := start+c.uint(offset), c.uint(length)
			if c.short {
				return p
			}
			if number == item && i == 0 && at < 1<<62 && size < 1<<62 && how < 2 {
				p = itemPlace{at: int64(at), size: int64(size), within: how == 1}
			}
		}
	}
	return p
}

// cursor reads numbers one after another.
type cursor struct {
	b     []byte
	short bool // more was asked for than there is
}

func (c *cursor) uint(bytes int) (v uint64) {
	if bytes > len(c.b) {
		c.b, c.short = nil, true
		return 0
	}
	for _, b := range c.b[:bytes] {
		v = v<<8 | uint64(b)
	}
	c.b = c.b[bytes:]
	return v
}
