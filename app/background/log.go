package background

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"piwork/app"
)

const maxLog = 1 << 20 // after which a log is begun anew beside the old one

// openLog opens what a controller logs to; nil where its data cannot be reached, which it
// says itself.
func openLog(o app.Options) (*os.File, error) {
	dir, err := o.LogDir()
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // see above
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of logs: %w", err)
	}
	path := filepath.Join(dir, "controller.log")
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		beginAnew(path)
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return log, nil
}

// beginAnew has a log go on as an empty one, beside what it has so far. It stays the same file: the
// standard error of a controller is this one, too, by which its panics are heard of, and Windows
// renames no file that is open.
func beginAnew(path string) {
	from, err := os.Open(path)
	if err != nil {
		return
	}
	defer from.Close()
	old, err := os.OpenFile(path+".1", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	_, err = io.Copy(old, from)
	if err = errors.Join(err, old.Close()); err == nil {
		_ = os.Truncate(path, 0) // else it grows
	}
}

// Logger is what a controller in this process logs to, in a terminal and in the background:
// JSON lines in vm/controller.log, beside what the options have. Close it last.
func Logger(o app.Options) (*slog.Logger, io.Closer, error) {
	file, err := openLog(o)
	if err != nil {
		return nil, nil, err
	}
	l := &logFile{o: o, file: file}
	return slog.New(slog.NewMultiHandler(o.Log.Handler(), slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelInfo}))), l, nil
}

// logFile is a log that is begun anew when it is full: a controller may run for months.
type logFile struct {
	o app.Options

	mu   sync.Mutex
	file *os.File // nil where there is none, see openLog
}

// Write implements io.Writer.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := l.file.Stat(); err == nil && info.Size() > maxLog {
		beginAnew(l.file.Name())
	}
	if l.file == nil { // also where it could not be opened before
		var err error
		if l.file, err = openLog(l.o); err != nil {
			return 0, err
		}
	}
	return l.file.Write(p)
}

// Close implements io.Closer.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
