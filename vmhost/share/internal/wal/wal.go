// Package wal is an append-only file of records that survives the death of the
// program and a power cut.
//
// The file is a line of text, the magic of its owner, and then frames:
//
//	length[4] crc32c[4] body[length]
//
// in little endian; the checksum covers the body, which is the owner's. A frame
// is there whole or not at all: what makes up one step belongs into one frame.
//
// What Append was called with is in the kernel when it returns, so the death of
// this program loses nothing; Sync makes it survive a power cut.
package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"piwork/vmhost/share/internal/at"
)

const (
	head     = 8
	maxFrame = 2 << 20 // bytes of a body
	window   = 4 << 20
)

var (
	// ErrTorn says that a frame is incomplete or damaged.
	ErrTorn = errors.New("the frame is incomplete or damaged")
	// ErrMagic says that a file begins with something else.
	ErrMagic = errors.New("not such a log, or one of a newer version")
	// ErrTooLong refuses a body over the limit of a frame.
	ErrTooLong = errors.New("the record is too long")

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Encode appends the frame of a body to b.
func Encode(b, body []byte) ([]byte, error) { return Finish(append(Begin(b), body...), len(b)) }

// Begin appends the head of a frame to b. Its body is what the caller appends
// before Finish.
func Begin(b []byte) []byte { return append(b, make([]byte, head)...) }

// Finish completes the frame that begins at start and ends with b. On an error
// it returns what stood before the frame.
func Finish(b []byte, start int) ([]byte, error) {
	body := b[start+head:]
	if len(body) == 0 || len(body) > maxFrame {
		return b[:start], fmt.Errorf("%w: %d bytes", ErrTooLong, len(body))
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[start+4:], crc32.Checksum(body, castagnoli))
	return b, nil
}

// Decode reads one frame from the beginning of b and returns its body, a part
// of b, and the length of the frame; or ErrTorn.
func Decode(b []byte) (body []byte, n int, err error) {
	if len(b) < head {
		return nil, 0, ErrTorn
	}
	size := binary.LittleEndian.Uint32(b)
	if size == 0 || size > maxFrame || uint64(size) > uint64(len(b)-head) {
		return nil, 0, ErrTorn
	}
	body = b[head : head+int(size)]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, 0, ErrTorn
	}
	return body, head + int(size), nil
}

// Log is an open file of records. Its methods may be called from several
// goroutines at once.
type Log struct {
	path, magic string

	mu      sync.Mutex // guards f, size, written and broken
	f       *os.File
	size    int64
	written int64 // counts on when the file is replaced, unlike size
	broken  error
	lost    int64 // bytes that were passed over

	syncMu sync.Mutex   // one sync at a time; the others find it done; guards moved
	moved  bool         // the file was replaced, and its name is not durable yet
	synced atomic.Int64 // of written; changed under syncMu, asked without waiting
}

// Open reads a log and hands every body to apply, with where it stands in the
// file, or makes a new one. What follows the last whole frame was cut off by a
// power cut or a full disk: it is put aside (name.torn), and the log goes on from
// there. The same is done from a frame on of which apply says ErrTorn; another
// error of apply ends the reading. magic is a line of its own, "\n" included.
//
// With mark, damage in the middle takes no more than what stands before the next frame
// of which mark says that only the owner can have written it. Other frames are not
// looked for: bodies have content of others, which may look like frames.
func Open(path, magic string, apply func(body []byte, off int64) error, mark func(body []byte) bool) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, magic: magic, f: f}
	if err := l.load(apply, mark); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.written = l.size
	return l, nil
}

func (l *Log) load(apply func([]byte, int64) error, mark func([]byte) bool) error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	end := info.Size()
	line := make([]byte, len(l.magic))
	if _, err := l.f.ReadAt(line, 0); err != nil || string(line) != l.magic {
		if end >= int64(len(l.magic)) {
			return errors.Join(ErrMagic, noEOF(err))
		}
		// Made and cut off before its first line was durable.
		if err := l.f.Truncate(0); err != nil {
			return err
		}
		_, err := l.f.WriteAt([]byte(l.magic), 0)
		l.size = int64(len(l.magic))
		return err
	}
	l.size = int64(len(l.magic))
read:
	for l.size < end {
		buf := make([]byte, min(window, end-l.size))
		if _, err := l.f.ReadAt(buf, l.size); err != nil {
			return err
		}
		whole := l.size+int64(len(buf)) == end
		used := 0
		for used < len(buf) {
			body, n, err := Decode(buf[used:])
			if err != nil && used > 0 && !whole {
				break // it may go on behind what is in memory
			}
			if err == nil {
				err = apply(body, l.size+int64(used+head))
			}
			if errors.Is(err, ErrTorn) {
				l.size += int64(used)
				next := l.resume(end, mark)
				l.putAside(next)
				if next == end {
					return l.cut()
				}
				l.lost += next - l.size
				l.size = next
				continue read
			}
			if err != nil {
				return fmt.Errorf("record at byte %d: %w", l.size+int64(used), err)
			}
			used += n
		}
		l.size += int64(used)
	}
	return nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// resume returns where a marked frame begins behind damage, end when there is none.
func (l *Log) resume(end int64, mark func([]byte) bool) int64 {
	const most = 512 // bytes of such a frame
	buf := make([]byte, min(window, end-l.size))
	for pos := l.size + 1; mark != nil && pos < end; {
		n, _ := l.f.ReadAt(buf[:min(int64(len(buf)), end-pos)], pos)
		i := 0
		for ; i+head <= n && (i+most <= n || pos+int64(n) >= end); i++ {
			if binary.LittleEndian.Uint32(buf[i:]) > most {
				continue
			}
			if body, _, err := Decode(buf[i:n]); err == nil && mark(body) {
				return pos + int64(i)
			}
		}
		if i == 0 {
			break
		}
		pos += int64(i)
	}
	return end
}

// putAside keeps what cannot be read, for whoever wants to look at it.
func (l *Log) putAside(end int64) {
	if out, err := os.OpenFile(l.path+".torn", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
		_, _ = io.Copy(out, io.NewSectionReader(l.f, l.size, end-l.size)) // as far as there is room
		out.Close()
	}
}

// cut takes the damaged end off.
func (l *Log) cut() error {
	if err := l.f.Truncate(l.size); err != nil {
		return fmt.Errorf("cutting the damaged end off: %w", err)
	}
	return at.Sync(l.f)
}

// Append writes bodies in one go and returns the position to sync up to.
func (l *Log) Append(bodies ...[]byte) (int64, error) {
	var buf []byte
	var err error
	for _, b := range bodies {
		if buf, err = Encode(buf, b); err != nil {
			return 0, err
		}
	}
	pos, _, err := l.Write(buf)
	return pos, err
}

// Write writes whole frames in one go. It returns the position to sync up to
// and where they begin in the file.
func (l *Log) Write(frames []byte) (pos, off int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return 0, 0, l.broken
	}
	if _, err := l.f.WriteAt(frames, l.size); err != nil {
		// Cutting back to the last whole frame makes a full disk survivable.
		if terr := l.f.Truncate(l.size); terr != nil {
			l.broken = fmt.Errorf("%s: %w", filepath.Base(l.path), err)
		}
		return 0, 0, err
	}
	off = l.size
	l.size += int64(len(frames))
	l.written += int64(len(frames))
	return l.written, off, nil
}

// Sync returns when everything up to pos is durable. Calls at the same time
// share one fdatasync. A failed one may have dropped pages, so nothing more can
// be written after it.
func (l *Log) Sync(pos int64) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.Synced() >= pos {
		return nil
	}
	l.mu.Lock()
	f, upTo, err := l.f, l.written, l.broken
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if err := at.SyncData(f); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.broken = fmt.Errorf("%s: %w", filepath.Base(l.path), err)
		return l.broken
	}
	if l.moved {
		if err := syncDir(filepath.Dir(l.path)); err != nil {
			return err
		}
		l.moved = false
	}
	l.synced.Store(upTo)
	return nil
}

// Synced returns the position up to which everything is durable; it does not
// wait.
func (l *Log) Synced() int64 { return l.synced.Load() }

// Replace puts a log of other frames in place of the present one, in one step.
// fill hands them to add, which says where they begin in the new file; old is the
// present file. Nothing else of the log may be used in it. On an error of fill or
// of the disk the log is as before. The new one is durable now, or with the next Sync.
func (l *Log) Replace(fill func(old io.ReaderAt, add func(frames []byte) (off int64, err error)) error) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	next := l.path + ".new"
	f, err := os.OpenFile(next, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	size, err := l.writeTo(f, fill)
	if err == nil {
		err = at.Sync(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = l.swap(next)
	}
	if err != nil {
		os.Remove(next)
		return fmt.Errorf("compacting: %w", err)
	}
	l.size = size
	if l.moved = syncDir(filepath.Dir(l.path)) != nil; l.moved {
		l.synced.Store(0) // a power cut may bring the old file back
		return nil
	}
	l.synced.Store(l.written)
	return nil
}

// swap puts another file in the place of the log's. Both are closed meanwhile: Windows renames
// no file that is open, and none over one.
func (l *Log) swap(next string) error {
	l.f.Close()
	err := os.Rename(next, l.path)
	f, lost := os.OpenFile(l.path, os.O_RDWR, 0o600)
	if lost != nil {
		l.broken = fmt.Errorf("%s: %w", filepath.Base(l.path), lost)
		return errors.Join(err, lost)
	}
	l.f = f
	return err
}

func (l *Log) writeTo(f *os.File, fill func(io.ReaderAt, func([]byte) (int64, error)) error) (size int64, err error) {
	buf := []byte(l.magic)
	flush := func() error {
		n, err := f.WriteAt(buf, size)
		size += int64(n)
		buf = buf[:0]
		return err
	}
	err = fill(l.f, func(frames []byte) (int64, error) {
		off := size + int64(len(buf))
		buf = append(buf, frames...)
		if len(buf) > 1<<20 {
			return off, flush()
		}
		return off, nil
	})
	if err != nil {
		return 0, err
	}
	err = flush()
	return size, err
}

// ReadAt reads a part of what was appended (io.ReaderAt).
func (l *Log) ReadAt(p []byte, off int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.ReadAt(p, off)
}

// Length returns the length of the file in bytes.
func (l *Log) Length() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// Lost returns how many bytes in the middle of the file were damaged when it was
// opened, and passed over.
func (l *Log) Lost() int64 { return l.lost }

// Position returns what to sync up to for everything that was appended.
func (l *Log) Position() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}

var syncDir = SyncDir // tests have it fail

// SyncDir makes names that were made or removed in a directory durable.
func SyncDir(dir string) error {
	root, err := at.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		return err
	}
	return d.Sync()
}
