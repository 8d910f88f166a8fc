package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// logFile is the append-only file of records. What append was called with is
// in the kernel when it returns, so the death of this program loses nothing;
// sync makes it survive a power cut. One caller at a time may append.
type logFile struct {
	path string

	mu      sync.Mutex // guards f, size and broken
	f       *os.File
	size    int64
	written int64 // counts on over compactions, unlike size
	broken  error

	syncMu sync.Mutex   // one sync at a time; the others find it done
	synced int64        // of written, guarded by syncMu
	safe   atomic.Int64 // synced, to be asked without waiting
}

// openLog reads the log and hands every record to apply, or makes a new log.
// What follows the last whole frame was cut off by a power cut or a full disk:
// it is put aside (log.torn) and the log goes on from there.
func openLog(path string, apply func(*record) error) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &logFile{path: path, f: f}
	if err := l.load(apply); err != nil {
		f.Close()
		return nil, err
	}
	l.written, l.synced = l.size, 0
	return l, nil
}

func (l *logFile) load(apply func(*record) error) error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	r := &frames{f: l.f, end: info.Size()}
	if err := r.start(); err != nil {
		if info.Size() >= int64(len(magic)) {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		// Made and cut off before its first line was durable.
		if err := l.f.Truncate(0); err != nil {
			return err
		}
		_, err := l.f.WriteAt([]byte(magic), 0)
		l.size = int64(len(magic))
		return err
	}
	for {
		rec, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errTorn) {
			if err := l.putAside(r.off, r.end); err != nil {
				return err
			}
			break
		}
		if err != nil {
			return err
		}
		if err := apply(&rec); err != nil {
			return fmt.Errorf("%s: record at byte %d: %w", l.path, r.off, err)
		}
	}
	l.size = r.off
	return nil
}

// putAside keeps what cannot be read, for whoever wants to look at it.
func (l *logFile) putAside(off, end int64) error {
	if out, err := os.OpenFile(l.path+".torn", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err == nil {
		_, _ = io.Copy(out, io.NewSectionReader(l.f, off, min(end-off, maxFrame)))
		out.Close()
	}
	if err := l.f.Truncate(off); err != nil {
		return fmt.Errorf("journal: cutting the damaged end off: %w", err)
	}
	return l.f.Sync()
}

// append writes records in one go and returns the position to sync up to.
// Records with data learn where it stands. After an error nothing more can be
// written: a half-written frame may be at the end.
func (l *logFile) append(recs []record) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return 0, l.broken
	}
	var buf []byte
	for i := range recs {
		var data int
		var err error
		if buf, data, err = recs[i].encode(buf); err != nil {
			return 0, err
		}
		recs[i].at = l.size + int64(data)
	}
	if _, err := l.f.WriteAt(buf, l.size); err != nil {
		// Cutting back to the last whole frame makes a full disk survivable.
		if terr := l.f.Truncate(l.size); terr != nil {
			l.broken = fmt.Errorf("journal: %w", err)
		}
		return 0, fmt.Errorf("journal: %w", err)
	}
	l.size += int64(len(buf))
	l.written += int64(len(buf))
	return l.written, nil
}

// sync returns when everything up to pos is durable. Calls at the same time
// share one fdatasync. A failed sync may have dropped pages, so the log cannot
// be trusted with anything new after it.
func (l *logFile) sync(pos int64) error {
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
		l.broken = fmt.Errorf("journal: %w", err)
		l.mu.Unlock()
		return l.broken
	}
	l.synced = upTo
	l.safe.Store(upTo)
	return nil
}

// replace puts a log of the given records in place of the present one. data
// copies the inline image of a record from the old log.
func (l *logFile) replace(recs []record) error {
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
	size, err := l.copyTo(f, recs)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(next, l.path)
	}
	if err != nil {
		f.Close()
		os.Remove(next)
		return fmt.Errorf("journal: compacting: %w", err)
	}
	l.f.Close()
	l.f, l.size = f, size
	l.synced = l.written
	l.safe.Store(l.written)
	return wal.SyncDir(filepath.Dir(l.path))
}

func (l *logFile) copyTo(f *os.File, recs []record) (int64, error) {
	var buf bytes.Buffer
	buf.WriteString(magic)
	off := int64(0)
	flush := func() error {
		n, err := f.WriteAt(buf.Bytes(), off)
		off += int64(n)
		buf.Reset()
		return err
	}
	for i := range recs {
		r := &recs[i]
		if n := r.inline(); n > 0 && r.at > 0 {
			r.data = make([]byte, n)
			if _, err := l.f.ReadAt(r.data, r.at); err != nil {
				return 0, err
			}
		}
		b, data, err := r.encode(nil)
		if err != nil {
			return 0, err
		}
		r.at, r.data = off+int64(buf.Len()+data), nil
		buf.Write(b)
		if buf.Len() > 1<<20 {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return off, flush()
}

// readAt reads inline data.
func (l *logFile) readAt(p []byte, off int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.f.ReadAt(p, off)
	return err
}

// durable reports whether everything up to pos is durable already.
func (l *logFile) durable(pos int64) bool {
	return l.safe.Load() >= pos
}

func (l *logFile) length() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

func (l *logFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}

// frames reads a log from a file, frame after frame.
type frames struct {
	f   io.ReaderAt
	end int64
	off int64 // of the frame after the last one that was read
	buf []byte
	pos int64 // where buf begins in the file
}

var errMagic = errors.New("not a journal, or one of a newer version")

func (r *frames) start() error {
	line := make([]byte, len(magic))
	if _, err := r.f.ReadAt(line, 0); err != nil || string(line) != magic {
		return errMagic
	}
	r.off = int64(len(magic))
	return nil
}

// next returns the next record, io.EOF after the last one, or errTorn.
func (r *frames) next() (record, error) {
	if r.off == r.end {
		return record{}, io.EOF
	}
	rec, n, err := decode(r.window())
	if err != nil && int64(len(r.buf)) < r.end-r.pos {
		// The frame may go on behind what is in memory.
		if err := r.fill(); err != nil {
			return record{}, err
		}
		rec, n, err = decode(r.window())
	}
	if err != nil {
		return record{}, err
	}
	rec.at += r.off
	r.off += int64(n)
	return rec, nil
}

func (r *frames) window() []byte {
	if r.buf == nil {
		return nil
	}
	return r.buf[r.off-r.pos:]
}

func (r *frames) fill() error {
	size := min(int64(4<<20), r.end-r.off)
	r.buf = make([]byte, size)
	r.pos = r.off
	n, err := r.f.ReadAt(r.buf, r.off)
	if int64(n) == size {
		return nil
	}
	return fmt.Errorf("journal: reading: %w", err)
}

// position returns what to sync up to for everything that was appended.
func (l *logFile) position() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}
