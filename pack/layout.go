package pack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"iter"
	"sort"
	"time"

	"piwork/pack/spec"
)

// entryTime is the modification time of every entry of an archive with chunks:
// a constant, so that a release changes no byte of a file that it keeps. It is
// the first one that every file system can say.
var entryTime = time.Unix(315532800, 0) // 1980-01-01

// layout is the body of a pack's tar stream, all that follows the entry of the
// chunk index, as the manifest determines it: for each file a header, the
// content, and zeros up to the next block; two blocks of zeros at the end. So a
// position in the body is a position in a file, whether the files lie in an
// archive, in an installed pack or in one that is being put together. Headers in it say nothing
// of versions and times, so that a chunk of it is found in an installed directory as well as in
// an archive.
type layout struct {
	files  []spec.File // in the body, without the index
	starts []int64     // of their headers, in bytes
	size   int64       // of the body
}

// bodyTrailer is what ends a tar stream, in bytes.
const bodyTrailer = 2 * tarBlock

func newLayout(files []spec.File) *layout {
	l := &layout{files: files, starts: make([]int64, len(files))}
	for i, f := range files {
		l.starts[i] = l.size
		l.size += entrySize(f.Size)
	}
	l.size += bodyTrailer
	return l
}

// entrySize is the length of a file's entry in a tar stream, in bytes.
func entrySize(size int64) int64 {
	return tarBlock + (size+tarBlock-1)/tarBlock*tarBlock
}

// piece is a part of the body that is of one kind: bytes of a file, or bytes that
// follow from the manifest.
type piece struct {
	from, to int    // in the buffer that was asked about
	file     int    // in layout.files; -1 for a literal
	off      int64  // in the file
	literal  []byte // header or zeros
}

var zeros [bodyTrailer]byte

// pieces divides n bytes at off of the body. A file without content has an empty
// piece where its header ends.
func (l *layout) pieces(off int64, n int) iter.Seq2[piece, error] {
	return func(yield func(piece, error) bool) {
		end := off + int64(n)
		// clip yields the part of [from, to) of the body that was asked for.
		clip := func(from, to int64, file int, literal []byte) bool {
			a, b := max(from, off), min(to, end)
			if a >= b {
				return true
			}
			p := piece{from: int(a - off), to: int(b - off), file: file, off: a - from}
			if literal != nil {
				p.literal = literal[a-from : b-from]
			}
			return yield(p, nil)
		}
		// The first file whose entry ends after off.
		i := sort.Search(len(l.files), func(i int) bool { return l.starts[i]+entrySize(l.files[i].Size) > off })
		for ; i < len(l.files) && l.starts[i] < end; i++ {
			f, start := l.files[i], l.starts[i]
			content := start + tarBlock
			if off < content {
				h, err := tarHeader(f.Path, f.Size, f.Mode)
				if err != nil {
					yield(piece{}, err)
					return
				}
				if !clip(start, content, -1, h) {
					return
				}
				if f.Size == 0 && content <= end {
					if !yield(piece{from: int(content - off), to: int(content - off), file: i}, nil) {
						return
					}
				}
			}
			pad := content + f.Size
			if !clip(content, pad, i, nil) || !clip(pad, start+entrySize(f.Size), -1, zeros[:]) {
				return
			}
		}
		clip(l.size-bodyTrailer, l.size, -1, zeros[:])
	}
}

// tarHeader is the USTAR header (POSIX.1-1988) of an entry, and says nothing of
// the machine that made it.
func tarHeader(name string, size int64, mode uint32) ([]byte, error) {
	var b bytes.Buffer
	h := tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(mode), ModTime: entryTime, Format: tar.FormatUSTAR}
	if err := tar.NewWriter(&b).WriteHeader(&h); err != nil {
		return nil, fmt.Errorf("tar header of %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// tarSize is the size that a header says its entry has.
func tarSize(h []byte) (int64, error) {
	hdr, err := tar.NewReader(bytes.NewReader(h)).Next()
	if err != nil {
		return 0, err
	}
	return hdr.Size, nil
}

// tarEntry is a whole entry with its zeros.
func tarEntry(name string, data []byte) ([]byte, error) {
	b, err := tarHeader(name, int64(len(data)), 0o644)
	if err != nil {
		return nil, err
	}
	b = append(b, data...)
	return append(b, zeros[:entrySize(int64(len(data)))-int64(len(b))]...), nil
}

// fileAt names the file whose entry is at off, "" behind the last.
func (l *layout) fileAt(off int64) string {
	i := sort.Search(len(l.files), func(i int) bool { return l.starts[i]+entrySize(l.files[i].Size) > off })
	if i == len(l.files) {
		return ""
	}
	return l.files[i].Path
}
