package jsonlines

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// LastWritten is how long a door may write what is left after its input ended.
	LastWritten = 5 * time.Second

	stallWithin = 2 * time.Minute
)

// ErrStalled says that the program at the other end of a door takes nothing any more.
var ErrStalled = errors.New("the program at the other end reads nothing any more")

// Writer writes messages to a program that may have stopped to read. Writes after the first that
// failed fail at once. It is safe for concurrent use.
type Writer struct {
	Stall time.Duration // for which the program may read nothing; not to be changed after the first write

	ctx   context.Context
	end   context.CancelFunc // of the door
	lines chan []byte
	wrote chan error

	mu     sync.Mutex // one message at a time
	failed error
}

// NewWriter writes in a goroutine, which ends with ctx, or with the write that it hangs in: that
// is of a stream of somebody else. The first write that fails calls end.
func NewWriter(ctx context.Context, end context.CancelFunc, out io.Writer) *Writer {
	w := &Writer{Stall: stallWithin, ctx: ctx, end: end, lines: make(chan []byte), wrote: make(chan error, 1)}
	go func() {
		for {
			select {
			case b := <-w.lines:
				_, err := out.Write(b)
				w.wrote <- err
			case <-ctx.Done():
				return
			}
		}
	}()
	return w
}

// Write writes one message. It returns when that is written, the program reads nothing for too
// long, or the context of the writer ends.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return 0, w.failed
	}
	late := time.NewTimer(w.Stall)
	defer late.Stop()
	if err := w.pass(b, late.C); err != nil {
		w.failed = err
		w.end()
		return 0, err
	}
	return len(b), nil
}

// pass has a message written, or gives up.
func (w *Writer) pass(b []byte, late <-chan time.Time) (err error) {
	select {
	case w.lines <- b:
	case <-late:
		return ErrStalled
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
	select {
	case err = <-w.wrote:
		return err
	case <-late:
		return ErrStalled
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
}

// Close leaves the stream open: it belongs to somebody else.
func (*Writer) Close() error { return nil }

// Err is ErrStalled where that ended the writer. A program that left is no error.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.failed, ErrStalled) {
		return w.failed
	}
	return nil
}
