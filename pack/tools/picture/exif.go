package picture

import (
	"encoding/binary"
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

// exifReader reads the TIFF structure that Exif data is.
type exifReader struct {
	b     []byte
	order binary.ByteOrder
}

// readExif reads what is sensible of Exif data and leaves out the rest.
func readExif(b []byte) (e exif) {
	if len(b) < 8 {
		return e
	}
	r := exifReader{b: b, order: binary.LittleEndian}
	switch string(b[:4]) {
	case "II*\x00":
	case "MM\x00*":
		r.order = binary.BigEndian
	default:
		return e
	}
	original, zone := "", ""
	r.directory(int64(r.order.Uint32(b[4:])), func(tag uint16, entry []byte) {
		switch tag {
		case tagOrientation:
			if v := int(r.order.Uint16(entry[8:])); r.order.Uint16(entry[2:]) == 3 && v >= 1 && v <= 8 {
				e.orientation = v
			}
		case tagExifIFD:
			r.directory(int64(r.order.Uint32(entry[8:])), func(tag uint16, entry []byte) {
				switch tag {
				case tagOriginal:
					original = r.text(entry)
				case tagOriginalZone:
					zone = r.text(entry)
				}
			})
		}
	})
	e.taken = takenTime(original, zone)
	return e
}

// directory calls f for every entry of 12 bytes.
func (r exifReader) directory(at int64, f func(tag uint16, entry []byte)) {
	if at+2 > int64(len(r.b)) {
		return
	}
	n := min(int(r.order.Uint16(r.b[at:])), maxExifEntries)
	for i := range n {
		e := at + 2 + int64(i)*12
		if e+12 > int64(len(r.b)) {
			return
		}
		f(r.order.Uint16(r.b[e:]), r.b[e:e+12])
	}
}

// text returns a short ASCII value without its NUL.
func (r exifReader) text(entry []byte) string {
	n, at := int64(r.order.Uint32(entry[4:])), int64(r.order.Uint32(entry[8:]))
	if r.order.Uint16(entry[2:]) != 2 || n <= 4 || n > 64 || at+n > int64(len(r.b)) {
		return ""
	}
	return strings.TrimRight(string(r.b[at:at+n]), "\x00 ")
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
