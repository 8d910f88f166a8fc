package picture

import (
	"bytes"
	"io"
	"strings"
	"time"
)

// maxExifEntries bounds each directory that is looked through.
const maxExifEntries = 1024

// Tags of Exif 2.32 that are read.
const (
	tagExifIFD      = 0x8769
	tagOriginal     = 0x9003 // DateTimeOriginal
	tagOriginalZone = 0x9011 // OffsetTimeOriginal
)

// exif is what is taken from Exif data.
type exif struct {
	orientation int    // 0 without a sensible one
	taken       string // RFC 3339, "" when it is not known
}

func (e exif) put(info *Info) {
	if e.orientation != 0 {
		info.Orientation = e.orientation
	}
	if e.taken != "" {
		info.Taken = e.taken
	}
}

// readExif reads what is sensible of Exif data and leaves out the rest.
func readExif(b []byte) exif { return exifOf(bytes.NewReader(b), int64(len(b))) }

// exifOf is readExif for a TIFF: Exif data is one.
func exifOf(r io.ReaderAt, size int64) (e exif) {
	t, first, err := openTIFF(r, size)
	if err != nil {
		return e
	}
	original, zone := "", ""
	reads := 0
	read := func(s *string, entry []byte) {
		if reads++; *s == "" && reads <= 8 {
			*s = t.text(entry)
		}
	}
	within := false // of each the first counts: a hostile file has thousands
	t.each(first, func(tag uint16, entry []byte) {
		switch tag {
		case tagOrientation:
			if v := int(t.order.Uint16(entry[8:])); t.order.Uint16(entry[2:]) == 3 && v >= 1 && v <= 8 {
				e.orientation = v
			}
		case tagExifIFD:
			if within {
				return
			}
			within = true
			t.each(int64(t.order.Uint32(entry[8:])), func(tag uint16, entry []byte) {
				switch tag {
				case tagOriginal:
					read(&original, entry)
				case tagOriginalZone:
					read(&zone, entry)
				}
			})
		}
	})
	e.taken = takenTime(original, zone)
	return e
}

// each calls f for every entry of a directory, as far as it goes.
func (t tiffReader) each(at int64, f func(tag uint16, entry []byte)) {
	b, err := t.bytes(at, 2)
	if err != nil {
		return
	}
	n := min(int64(t.order.Uint16(b)), maxExifEntries, (t.size-at-2)/entrySize)
	if b, err = t.bytes(at+2, n*entrySize); err != nil {
		return
	}
	for ; len(b) > 0; b = b[entrySize:] {
		f(t.order.Uint16(b), b[:entrySize])
	}
}

// text returns a short ASCII value without its NUL.
func (t tiffReader) text(entry []byte) string {
	n := int64(t.order.Uint32(entry[4:]))
	if t.order.Uint16(entry[2:]) != typeASCII || n <= 4 || n > 64 {
		return ""
	}
	b, _ := t.bytes(int64(t.order.Uint32(entry[8:])), n) // nil where it fails
	return strings.TrimRight(string(b), "\x00 ")
}

// takenTime makes RFC 3339 of the times of Exif. A camera that does not know
// its zone is taken for UTC: its pictures still sort among themselves.
func takenTime(original, zone string) string {
	t, err := time.Parse("2006:01:02 15:04:05", original)
	if err != nil || t.Year() < 1800 {
		return ""
	}
	if z, err := time.Parse("-07:00", zone); err == nil {
		_, offset := z.Zone()
		return t.Add(-time.Duration(offset) * time.Second).In(z.Location()).Format(time.RFC3339)
	}
	return t.Format(time.RFC3339)
}
