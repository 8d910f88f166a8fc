package operate

import (
	"errors"
	"hash/crc32"
	"io"

	"github.com/bodgit/sevenzip"
	"github.com/mholt/archives"
)

// What a file in a 7z archive can turn out to be only after it was read to its end.
var (
	errSum      = errors.New("a file in the archive does not match its checksum")
	errPassword = errors.New("a file in the archive does not match its checksum: the password may be wrong")
)

// sevenZipped compares a file of a 7z archive with what the archive says of it. The
// library does not: a flipped byte of a stored photo, a stream that is cut off and a
// wrong password all end as if the file were whole. Other kinds of archives need no
// such check, their libraries have it.
type sevenZipped struct {
	said     sevenzip.FileHeader
	password bool   // one was given
	sum      uint32 // CRC-32 of what was read
}

// sevenZip returns the check of a file, or nil for one of another kind of archive.
func (a *archive) sevenZip(f archives.FileInfo) *sevenZipped {
	h, ok := f.Header.(sevenzip.FileHeader)
	if !ok {
		return nil
	}
	format, _ := a.format.(archives.SevenZip)
	return &sevenZipped{said: h, password: format.Password != ""}
}

// of sums what is read.
func (s *sevenZipped) of(from io.Reader) io.Reader {
	if s == nil {
		return from
	}
	return io.TeeReader(from, s)
}

// Write implements io.Writer, see [sevenZipped.of].
func (s *sevenZipped) Write(b []byte) (int, error) {
	s.sum = crc32.Update(s.sum, crc32.IEEETable, b)
	return len(b), nil
}

// end checks n bytes, all that was read. A checksum of 0 is one that the archive has not.
func (s *sevenZipped) end(n int64) error {
	switch {
	case s == nil:
		return nil
	case uint64(n) < s.said.UncompressedSize: //nolint:gosec // n counts bytes and is not below 0
		return readError{io.ErrUnexpectedEOF}
	case s.said.CRC32 == 0 || s.said.CRC32 == s.sum:
		return nil
	case s.password:
		return readError{errPassword}
	}
	return readError{errSum}
}
