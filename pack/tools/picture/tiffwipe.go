package picture

import (
	"io"
	"slices"
)

// private are tags beside texts that a picture looks the same without: title,
// comment, author, keywords and subject as Windows writes them, and its place on a
// map (GeoTIFF).
var private = []uint16{0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F, 33550, 33922, 34264, 34735, 34736}

// WipeTIFF takes out of every page of a TIFF, in place, what it says beside what it
// looks like: texts (who made it, on which computer, when) and places.
func WipeTIFF(f interface {
	io.ReaderAt
	io.WriterAt
}, size int64,
) error {
	t, first, err := openTIFF(f, size)
	if err != nil {
		return err
	}
	w := &tiffWiper{tiffReader: t, w: f, pages: maxPages, room: size}
	return chain(first, w.page)
}

type tiffWiper struct {
	tiffReader
	w     io.WriterAt
	pages int   // that may still come
	depth int   // of pages within pages
	room  int64 // bytes of values that may still be wiped: no honest file shares them
}

// page wipes one directory, and those of the smaller pictures that it has.
func (w *tiffWiper) page(at int64) (next int64, err error) {
	if w.pages--; w.pages < 0 {
		return 0, unsupported("TIFF: more than %d pages", maxPages)
	}
	b, n, err := w.entries(at)
	if err != nil {
		return 0, err
	}
	next = int64(w.order.Uint32(b[n*entrySize:]))
	kept := b[:0]
	for i := range n {
		e := b[i*entrySize:][:entrySize]
		tag, kind := w.order.Uint16(e), w.order.Uint16(e[2:])
		if kind == typeASCII || kind == typeUTF8 || slices.Contains(private, tag) {
			if err := w.wipe(e, int(kind)); err != nil {
				return 0, err
			}
			continue
		}
		if tag == tagSubIFDs {
			if err := w.within(e); err != nil {
				return 0, err
			}
		}
		kept = append(kept, e...)
	}
	if len(kept) == int(n)*entrySize {
		return next, nil
	}
	rest := b[len(kept):]
	clear(rest)
	w.order.PutUint32(rest, uint32(next))
	count := make([]byte, 2)
	w.order.PutUint16(count, uint16(len(kept)/entrySize))
	_, err = w.w.WriteAt(append(count, b...), at)
	return next, err
}

// within wipes the directories that an entry names.
func (w *tiffWiper) within(e []byte) error {
	const deepest = 8
	if w.order.Uint32(e[4:]) == 0 {
		return nil
	}
	if w.depth++; w.depth > deepest {
		return unsupported("TIFF: pages within pages, more than %d deep", deepest)
	}
	defer func() { w.depth-- }()
	places, err := w.values(e)
	for _, at := range places {
		if err == nil && at != 0 {
			err = chain(int64(at), w.page)
		}
	}
	return err
}

// wipe overwrites the value of an entry that does not hold it itself.
func (w *tiffWiper) wipe(e []byte, kind int) error {
	if err := w.checkEntry(e); err != nil {
		return err
	}
	n := int64(w.order.Uint32(e[4:]))
	if kind < len(typeSizes) {
		n *= typeSizes[kind]
	}
	at := int64(w.order.Uint32(e[8:]))
	if n <= 4 {
		return nil
	}
	if w.room -= n; w.room < 0 || at+n > w.size {
		return broken("TIFF: the values of tags lie on each other")
	}
	_, err := io.CopyN(io.NewOffsetWriter(w.w, at), zeros{}, n)
	return err
}

// zeros is endless.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
