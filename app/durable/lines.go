package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// MaxLine is the longest line that is written or read back, in bytes.
const MaxLine = 64 << 20

// ErrLineTooLong is returned for a line of more than [MaxLine] bytes.
var ErrLineTooLong = errors.New("line longer than the limit")

// Lines is a file that only grows, by whole lines. Its methods may be called
// from several goroutines at once.
type Lines struct {
	mu     sync.Mutex
	f      *os.File
	size   int64 // of the whole lines
	broken error // set when the file could not be brought back to whole lines
}

// OpenLines opens or creates path for appending. torn is what stood after the
// last line feed, cut off by a crash; it is gone from the file.
func OpenLines(path string) (l *Lines, torn []byte, err error) {
	_, statErr := os.Lstat(path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	size, torn, err := wholeLines(f)
	if err != nil {
		return nil, nil, fmt.Errorf("read the end of %s: %w", path, err)
	}
	if len(torn) > 0 {
		if err := truncate(f, size); err != nil {
			return nil, nil, fmt.Errorf("take away a cut-off line of %s: %w", path, err)
		}
	}
	if errors.Is(statErr, os.ErrNotExist) {
		if err := SyncDir(filepath.Dir(path)); err != nil {
			return nil, nil, err
		}
	}
	return &Lines{f: f, size: size}, torn, nil
}

// wholeLines returns the length of f up to and including its last line feed,
// and at most MaxLine bytes of what follows.
func wholeLines(f *os.File) (int64, []byte, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, nil, err
	}
	const block = 64 << 10
	buf := make([]byte, block)
	for at := end; at > 0; {
		n := min(at, block)
		at -= n
		if _, err := f.ReadAt(buf[:n], at); err != nil {
			return 0, nil, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return tail(f, at+int64(i)+1, end)
		}
	}
	return tail(f, 0, end)
}

func tail(f *os.File, from, end int64) (int64, []byte, error) {
	torn := make([]byte, min(end-from, MaxLine))
	if _, err := f.ReadAt(torn, from); err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	return from, torn, nil
}

func truncate(f *os.File, size int64) error {
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

// Append writes line and a line feed and waits until they are on the disk.
// After an error the file ends with the line before it; when even that fails,
// every later call returns the error too.
func (l *Lines) Append(line []byte) error {
	if len(line) >= MaxLine {
		return ErrLineTooLong
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("line contains a line feed")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	data := append(append(make([]byte, 0, len(line)+1), line...), '\n')
	_, err := l.f.WriteAt(data, l.size)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		if terr := truncate(l.f, l.size); terr != nil {
			l.broken = fmt.Errorf("%w; and the file could not be cut back: %w", err, terr)
		}
		return err
	}
	l.size += int64(len(data))
	return nil
}

// Close ends the appending. It is idempotent.
func (l *Lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = os.ErrClosed
	} else if errors.Is(l.broken, os.ErrClosed) {
		return nil
	}
	return l.f.Close()
}

// ReadLines calls fn for every whole line of path, numbered from 1, without
// its line feed; the slice is valid until fn returns. A missing file has no
// lines. It ends with fn's first error.
func ReadLines(path string, fn func(n int64, line []byte) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	var line []byte
	for n := int64(1); ; {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return fmt.Errorf("%s line %d: %w", path, n, ErrLineTooLong)
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil // what has no line feed is not a line
		}
		if err != nil {
			return err
		}
		if err := fn(n, line[:len(line)-1]); err != nil {
			return err
		}
		line, n = line[:0], n+1
	}
}
