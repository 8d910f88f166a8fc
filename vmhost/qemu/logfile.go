package qemu

import (
	"errors"
	"os"
	"sync"
)

// LogLimit is the size in bytes at which a log file is rotated. With the one
// older file that is kept, a log takes at most twice as much.
const LogLimit = 4 << 20

// logFile is a log that cannot grow without bound: at its limit the file
// becomes path.1, replacing an older one. Writes never fail for their caller: a
// machine does not end because its log cannot be written; the first error is
// returned by Close.
type logFile struct {
	path  string
	limit int64

	mu   sync.Mutex
	f    *os.File // nil when closed or broken
	size int64
	err  error
}

// openLog opens the log for appending, private to the user.
func openLog(path string, limit int64) (*logFile, error) {
	l := &logFile{path: path, limit: limit}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.f, l.size = f, fi.Size()
	return nil
}

// Write writes all of p, in pieces where it crosses the limit.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0 && l.f != nil; {
		if l.size >= l.limit {
			l.rotate()
			continue
		}
		n, err := l.f.Write(rest[:min(int64(len(rest)), l.limit-l.size)])
		l.size += int64(n)
		rest = rest[n:]
		if err != nil {
			l.fail(err)
		}
	}
	return len(p), nil
}

func (l *logFile) rotate() {
	err := l.f.Close()
	l.f = nil
	if err == nil {
		err = os.Rename(l.path, l.path+".1")
	}
	if err == nil {
		err = l.open()
	}
	if err != nil {
		l.fail(err)
	}
}

func (l *logFile) fail(err error) {
	if l.err == nil {
		l.err = err
	}
	if l.f != nil {
		_ = l.f.Close()
		l.f = nil
	}
}

// Close ends the log; later writes are dropped.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		if err := l.f.Close(); err != nil && l.err == nil {
			l.err = err
		}
		l.f = nil
	}
	return l.err
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	max int
	buf []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-t.max):]...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
