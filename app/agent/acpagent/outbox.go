package acpagent

import (
	"bytes"
	"context"
	"io"
	"sync"

	"piwork/app/agent"
)

// maxWaiting bounds the lines that wait for a program which does not read.
const maxWaiting = 256

// outbox writes lines to the program, in order. Whoever writes waits for room, and no longer than
// the session.
type outbox struct {
	to     io.WriteCloser
	lines  chan []byte
	failed func(error)

	once sync.Once
	err  error
	over chan struct{} // closed when nothing is written any more
}

func newOutbox(to io.WriteCloser, failed func(error)) *outbox {
	return &outbox{to: to, lines: make(chan []byte, maxWaiting), failed: failed, over: make(chan struct{})}
}

// Write implements io.Writer: p is one line.
func (o *outbox) Write(p []byte) (int, error) {
	select {
	case <-o.over:
		return 0, agent.ErrEnded
	default:
	}
	select {
	case o.lines <- bytes.Clone(p):
		return len(p), nil
	case <-o.over:
		return 0, agent.ErrEnded
	}
}

// offer writes a line where there is room.
func (o *outbox) offer(line []byte) bool {
	select {
	case o.lines <- line:
		return true
	default:
		return false
	}
}

// Close ends the program's input.
func (o *outbox) Close() error {
	o.once.Do(func() {
		close(o.over)
		o.err = o.to.Close()
	})
	return o.err
}

// drain writes what waits until the session is over. A write that hangs ends with the transport.
func (o *outbox) drain(ctx context.Context) {
	for {
		select {
		case line := <-o.lines:
			if _, err := o.to.Write(line); err != nil {
				o.failed(err)
				_ = o.Close() // the program is gone
				return
			}
		case <-o.over:
			return
		case <-ctx.Done():
			_ = o.Close() // why the session is over is known
			return
		}
	}
}
