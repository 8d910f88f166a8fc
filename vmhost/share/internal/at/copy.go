package at

import (
	"errors"
	"io"
	"os"
)

// CopyFile makes dst, which is empty, what src has up to end or its own end, with
// holes where there are only zeros. seen hears of each piece, its error ends the
// copying; nil hears of none. It returns how many bytes dst has.
func CopyFile(dst *os.File, src io.ReaderAt, end int64, seen func(piece []byte) error) (int64, error) {
	off, written, err := copyPiece(dst, src, piece{End: end}, seen)
	if err != nil || off == written {
		return off, err
	}
	return off, dst.Truncate(off)
}

// copyPiece copies a part of src to the same place of dst. It returns how far it came, and where what
// it wrote ends.
func copyPiece(dst *os.File, src io.ReaderAt, p piece, seen func(piece []byte) error) (off, written int64, err error) {
	buf := make([]byte, min(256<<10, max(p.End-p.Off, 1)))
	for off = p.Off; off < p.End; {
		n, err := src.ReadAt(buf[:min(int64(len(buf)), p.End-off)], off)
		if n > 0 && seen != nil {
			if err := seen(buf[:n]); err != nil {
				return off, written, err
			}
		}
		if n > 0 && !Zero(buf[:n]) {
			if _, err := dst.WriteAt(buf[:n], off); err != nil {
				return off, written, err
			}
			written = off + int64(n)
		}
		if off += int64(n); errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return off, written, err
		}
	}
	return off, written, nil
}

// Zero reports whether all of b is zeros.
func Zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
