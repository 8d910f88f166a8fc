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
func Encode(b, body []byte) ([]byte, error) {
	if len(body) == 0 || len(body) > maxFrame {
		return b, fmt.Errorf("%w: %d bytes", ErrTooLong, len(body))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(body, castagnoli))
	return append(b, body...), nil
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

	syncMu sync.Mutex // one sync at a time; the others find it done
	synced int64      // of written, guarded by syncMu
}

// Open reads a log and hands every body to apply, or makes a new one. What
// follows the last whole frame was cut off by a power cut or a full disk: it is
// put aside (name.torn), and the log goes on from there. An error of apply ends
// the reading. magic is a line of its own, "\n" included.
func Open(path, magic string, apply func(body []byte) error) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, magic: magic, f: f}
	if err := l.load(apply); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.written = l.size
	return l, nil
}

func (l *Log) load(apply func([]byte) error) error {
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
			if err != nil {
				l.size += int64(used)
				return l.putAside(end)
			}
			if err := apply(body); err != nil {
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

// putAside keeps what cannot be read, for whoever wants to look at it.
func (l *Log) putAside(end int64) error {
	if out, err := os.OpenFile(l.path+".torn", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err == nil {
		_, _ = io.Copy(out, io.NewSectionReader(l.f, l.size, min(end-l.size, maxFrame)))
		out.Close()
	}
	if err := l.f.Truncate(l.size); err != nil {
		return fmt.Errorf("cutting the damaged end off: %w", err)
	}
	return l.f.Sync()
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return 0, l.broken
	}
	if _, err := l.f.WriteAt(buf, l.size); err != nil {
		// Cutting back to the last whole frame makes a full disk survivable.
		if terr := l.f.Truncate(l.size); terr != nil {
			l.broken = fmt.Errorf("%s: %w", filepath.Base(l.path), err)
		}
		return 0, err
	}
	l.size += int64(len(buf))
	l.written += int64(len(buf))
	return l.written, nil
}

// Sync returns when everything up to pos is durable. Calls at the same time
// share one fdatasync. A failed one may have dropped pages, so nothing more can
// be written after it.
func (l *Log) Sync(pos int64) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.synced >= pos {
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
	l.synced = upTo
	return nil
}

// Replace puts a log of other bodies in place of the present one, in one step.
func (l *Log) Replace(bodies func(yield func([]byte) bool)) error {
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
	size, err := l.writeTo(f, bodies)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(next, l.path)
	}
	if err != nil {
		f.Close()
		os.Remove(next)
		return fmt.Errorf("compacting: %w", err)
	}
	l.f.Close()
	l.f, l.size = f, size
	l.synced = l.written
	return SyncDir(filepath.Dir(l.path))
}

func (l *Log) writeTo(f *os.File, bodies func(yield func([]byte) bool)) (size int64, err error) {
	buf := []byte(l.magic)
	flush := func() {
		var n int
		if err == nil {
			n, err = f.WriteAt(buf, size)
			size += int64(n)
		}
		buf = buf[:0]
	}
	for body := range bodies {
		if buf, err = Encode(buf, body); err != nil {
			return 0, err
		}
		if len(buf) > 1<<20 {
			if flush(); err != nil {
				return 0, err
			}
		}
	}
	flush()
	return size, err
}

// Length returns the length of the file in bytes.
func (l *Log) Length() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

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
