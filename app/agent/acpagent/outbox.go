package acpagent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"piwork/app/agent"
)

// Bounds of what waits for a program that does not read. A line that is longer goes alone.
const (
	maxWaiting = 256      // lines
	maxUnread  = 16 << 20 // bytes
)

// outbox writes lines to the program, in order. Whoever writes waits for room, and no longer than
// the session.
type outbox struct {
	to     io.WriteCloser
	failed func(error)
	left   func(id json.RawMessage) // the answer to a request was written

	mu      sync.Mutex
	changed sync.Cond // of mu
	waiting []outgoing
	bytes   int
	full    bool // somebody found no room since the last line went
	went    bool // a line, since moves was last asked
	over    bool // nothing is written any more

	once sync.Once
	err  error
}

// outgoing is a line that waits, or is being written.
type outgoing struct {
	line   []byte
	answer json.RawMessage // the id of the request that it answers; nil for others
}

func newOutbox(to io.WriteCloser, failed func(error), left func(id json.RawMessage)) *outbox {
	o := &outbox{to: to, failed: failed, left: left}
	o.changed.L = &o.mu
	return o
}

// Write implements io.Writer: p is one line of the connection.
func (o *outbox) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.over && !o.room(len(p)) {
		o.full = true
		o.changed.Wait()
	}
	if o.over {
		return 0, agent.ErrEnded
	}
	o.add(outgoing{bytes.Clone(p), answered(p)})
	return len(p), nil
}

// offer writes a line where there is room. It is not that of a request which was let through.
func (o *outbox) offer(line []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return false
	}
	if !o.room(len(line)) {
		o.full = true
		return false
	}
	o.add(outgoing{line: line})
	return true
}

// room reports whether n bytes more may wait. mu is held, as for add.
func (o *outbox) room(n int) bool {
	return len(o.waiting) == 0 || len(o.waiting) < maxWaiting && o.bytes+n <= maxUnread
}

func (o *outbox) add(l outgoing) {
	o.waiting = append(o.waiting, l)
	o.bytes += len(l.line)
	o.changed.Broadcast()
}

// moves reports whether a line went since it was last asked, or nobody waits for one to go.
// waits says that somebody waits for an answer to go, beside those who found no room.
func (o *outbox) moves(waits bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	went := o.went
	o.went = false
	return went || !o.full && (!waits || len(o.waiting) == 0)
}

// Close ends the program's input.
func (o *outbox) Close() error {
	o.once.Do(func() {
		o.mu.Lock()
		o.over = true
		o.changed.Broadcast()
		o.mu.Unlock()
		o.err = o.to.Close()
	})
	return o.err
}

// drain writes what waits until the session is over. A write that hangs ends with the transport.
func (o *outbox) drain(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { _ = o.Close() })() // why the session is over is known
	for {
		o.mu.Lock()
		for len(o.waiting) == 0 && !o.over {
			o.changed.Wait()
		}
		if o.over {
			o.waiting, o.bytes = nil, 0
			o.mu.Unlock()
			return
		}
		next := o.waiting[0] // it counts until it is gone
		o.mu.Unlock()
		_, err := o.to.Write(next.line)
		if err != nil {
			o.failed(err)
			_ = o.Close() // the program is gone
			continue
		}
		o.mu.Lock()
		o.waiting[0] = outgoing{}
		o.waiting, o.bytes, o.full, o.went = o.waiting[1:], o.bytes-len(next.line), false, true
		o.changed.Broadcast()
		o.mu.Unlock()
		if next.answer != nil {
			o.left(next.answer)
		}
	}
}

// answered is the id of the request that a line of the connection answers; nil for a message that
// is its own.
func answered(line []byte) (id json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		switch key, err := d.Token(); {
		case err != nil || key == "method":
			return nil
		case key == "result" || key == "error":
			return id // what follows may be long
		case key == "id":
			if d.Decode(&id) != nil {
				return nil
			}
		default:
			var other json.RawMessage
			if d.Decode(&other) != nil {
				return nil
			}
		}
	}
	return id
}
