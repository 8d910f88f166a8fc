package picture

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// Tags of TIFF 6.0 and Exif.
const (
	tagSubfile      = 254
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagStripOffsets = 273
	tagOrientation  = 274
	tagStripCounts  = 279
	tagTileOffsets  = 324
	tagTileCounts   = 325
	tagSubIFDs      = 330
	tagExtra        = 338
)

// Types of values that are text: ASCII, and UTF-8 of Exif 3.0.
const (
	typeASCII = 2
	typeUTF8  = 129
)

// Bounds of a TIFF.
const (
	entrySize  = 12 // bytes
	maxPages   = 1000
	maxEntries = 4096
	maxStrips  = 1 << 17 // offsets of one page that are checked
)

// tiffReader reads the directories of a TIFF.
type tiffReader struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
}

// inspectTIFF follows the chain of directories and checks that the data of
// every page lies within the file.
func inspectTIFF(r io.ReaderAt, size int64) (Info, error) {
	info := Info{Format: TIFF}
	t, first, err := openTIFF(r, size)
	if err != nil {
		return info, err
	}
	err = chain(first, func(at int64) (next int64, err error) {
		page, next, err := t.directory(at)
		if err == nil && !page.thumbnail {
			if info.Frames == 0 {
				info = page.Info
			}
			info.Frames++
			info.Alpha = info.Alpha || page.Alpha
		}
		return next, err
	})
	if err == nil && info.Frames == 0 {
		err = broken("TIFF: no page")
	}
	info.Taken = exifOf(r, size).taken
	return info, err
}

// tiffMagics are what TIFF begins with, and the raw files of Panasonic and Olympus.
var tiffMagics = []string{"II*\x00", "MM\x00*", "IIU\x00", "IIRO", "IIRS", "MMOR"}

// openTIFF reads the head of a file, and where the first directory is.
func openTIFF(r io.ReaderAt, size int64) (t tiffReader, first int64, err error) {
	t = tiffReader{r: r, size: size, order: binary.LittleEndian}
	head, err := t.bytes(0, 8)
	if err != nil {
		return t, 0, err
	}
	if !slices.Contains(tiffMagics, string(head[:4])) {
		return t, 0, broken("TIFF: a wrong signature")
	}
	if head[0] == 'M' {
		t.order = binary.BigEndian
	}
	return t, int64(t.order.Uint32(head[4:])), nil
}

// chain goes from directory to directory; page reads one, and says where the next is.
func chain(first int64, page func(at int64) (next int64, err error)) (err error) {
	seen := map[int64]bool{}
	for at := first; at != 0 && err == nil; {
		if seen[at] {
			return broken("TIFF: the pages go in a circle")
		}
		if len(seen) == maxPages {
			return unsupported("TIFF: more than %d pages", maxPages)
		}
		seen[at] = true
		at, err = page(at)
	}
	return err
}

type tiffPage struct {
	Info
	thumbnail bool
}

// directory reads one page and where the next directory is.
func (t tiffReader) directory(at int64) (page tiffPage, next int64, err error) {
	page.Format = TIFF
	b, n, err := t.entries(at)
	if err != nil {
		return page, 0, err
	}
	var offsets, counts []byte // the entries
	for e := b; len(e) >= entrySize; e = e[entrySize:] {
		if err := t.checkEntry(e); err != nil {
			return page, 0, err
		}
		value := int(t.first(e))
		switch t.order.Uint16(e) {
		case tagSubfile:
			page.thumbnail = value&1 != 0
		case tagWidth:
			page.Width = value
		case tagHeight:
			page.Height = value
		case tagBits:
			page.Depth = value
			if t.order.Uint32(e[4:]) > 2 { // three shorts do not fit in the entry
				if s, err := t.bytes(int64(t.order.Uint32(e[8:])), 2); err == nil {
					page.Depth = int(t.order.Uint16(s))
				}
			}
		case tagOrientation:
			page.Orientation = value
		case tagExtra:
			page.Alpha = value == 1 || value == 2
		case tagStripOffsets, tagTileOffsets:
			offsets = e[:entrySize]
		case tagStripCounts, tagTileCounts:
			counts = e[:entrySize]
		}
	}
	next = int64(t.order.Uint32(b[n*entrySize:]))
	if page.Width <= 0 || page.Height <= 0 {
		return page, 0, broken("TIFF: %d × %d pixels", page.Width, page.Height)
	}
	return page, next, t.checkData(offsets, counts)
}

// entries reads the entries of a directory, and the place of the next one behind them.
func (t tiffReader) entries(at int64) (b []byte, n int64, err error) {
	if b, err = t.bytes(at, 2); err != nil {
		return nil, 0, err
	}
	if n = int64(t.order.Uint16(b)); n == 0 || n > maxEntries {
		return nil, 0, broken("TIFF: a page with %d entries", n)
	}
	b, err = t.bytes(at+2, n*entrySize+4)
	return b, n, err
}

// typeSizes are the bytes of one value by TIFF type.
var typeSizes = [...]int64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4}

// checkEntry checks that values outside of an entry lie within the file.
func (t tiffReader) checkEntry(e []byte) error {
	kind := int(t.order.Uint16(e[2:]))
	if kind >= len(typeSizes) {
		return nil // of a later version; readers skip it
	}
	n := typeSizes[kind] * int64(t.order.Uint32(e[4:]))
	if n > 4 && int64(t.order.Uint32(e[8:]))+n > t.size {
		return broken("TIFF: the value of tag %d goes beyond the end of the file", t.order.Uint16(e))
	}
	return nil
}

// first returns the value of an entry that holds it itself.
func (t tiffReader) first(e []byte) uint32 {
	if t.order.Uint16(e[2:]) == 3 {
		return uint32(t.order.Uint16(e[8:]))
	}
	return t.order.Uint32(e[8:])
}

// checkData checks that every strip or tile lies within the file.
func (t tiffReader) checkData(offsets, counts []byte) error {
	if offsets == nil || counts == nil {
		return broken("TIFF: a page without data")
	}
	at, err := t.values(offsets)
	if err != nil {
		return err
	}
	length, err := t.values(counts)
	if err != nil {
		return err
	}
	if len(at) != len(length) {
		return broken("TIFF: %d places of data and %d lengths", len(at), len(length))
	}
	for i := range at {
		if int64(at[i])+int64(length[i]) > t.size {
			return broken("TIFF: the data of a page is cut off")
		}
	}
	return nil
}

// values reads the numbers of an entry of type SHORT or LONG.
func (t tiffReader) values(e []byte) ([]uint32, error) {
	width := int64(4)
	if t.order.Uint16(e[2:]) == 3 {
		width = 2
	}
	n := int64(t.order.Uint32(e[4:]))
	if n == 0 || n > maxStrips {
		return nil, broken("TIFF: data in %d pieces", n)
	}
	b := e[8:12]
	if n*width > 4 {
		var err error
		if b, err = t.bytes(int64(t.order.Uint32(e[8:])), n*width); err != nil {
			return nil, err
		}
	}
	v := make([]uint32, n)
	for i := range v {
		if width == 2 {
			v[i] = uint32(t.order.Uint16(b[2*i:]))
		} else {
			v[i] = t.order.Uint32(b[4*i:])
		}
	}
	return v, nil
}

func (t tiffReader) bytes(at, n int64) ([]byte, error) {
	if at+n > t.size {
		return nil, broken("TIFF: a directory goes beyond the end of the file")
	}
	b := make([]byte, n)
	if _, err := t.r.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil {
		return nil, broken("TIFF: the file became shorter")
	}
	return b, nil
}
