package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost/clock"
	"piwork/vmhost/wire"
)

// maxCallbacks is how many calls of the guest are answered at a time. There is
// none today that could take long.
const maxCallbacks = 8

// ProtocolError is what a guest said that no agent says.
type ProtocolError struct{ Err error }

func (e *ProtocolError) Error() string { return "the guest broke the protocol: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }

// filter stands between the port and jrpc2's client, which delivers every
// message in a goroutine of its own: in no order, and as many at a time as a
// guest cares to send. The filter passes on answers to questions that were
// asked and a few calls, one at a time each; notifications it handles itself,
// in their order, before anything that came after them.
type filter struct {
	conn   net.Conn
	inner  *wire.Lines
	clock  *clock.Clock
	write  time.Duration // for one message
	output func(wire.ExecOutput)
	notify func(method string, params json.RawMessage) error

	said atomic.Int64 // bytes that came, and looks at a guest that is held up
	held atomic.Bool  // reading waits for a receiver on this side
	deaf atomic.Bool  // the guest did not take a message in time

	mu        sync.Mutex
	waiting   map[string]struct{} // ids of questions without an answer
	callbacks int
}

func newFilter(conn net.Conn, clk *clock.Clock, write time.Duration, output func(wire.ExecOutput), notify func(string, json.RawMessage) error) *filter {
	f := &filter{conn: conn, clock: clk, write: write, output: output, notify: notify, waiting: make(map[string]struct{})}
	f.inner = wire.Channel(readNoter{f}, conn)
	return f
}

// readNoter notes when bytes come.
type readNoter struct{ f *filter }

func (r readNoter) Read(p []byte) (int, error) {
	n, err := r.f.conn.Read(p)
	r.f.said.Add(int64(n))
	return n, err
}

// Write gives the guest a bounded time, counted on its own clock. After a
// part of a message the conversation cannot go on, so an error ends it.
func (r readNoter) Write(p []byte) (n int, err error) {
	for until := r.f.clock.Now() + r.f.write; ; {
		if err = r.f.conn.SetWriteDeadline(time.Now().Add(min(r.f.write, time.Second))); err != nil {
			return n, err
		}
		var part int
		part, err = r.f.conn.Write(p[n:])
		n += part
		if late := r.f.clock.Now() >= until; err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || late {
			if late && err != nil {
				r.f.deaf.Store(true)
			}
			break
		}
	}
	if err != nil {
		_ = r.f.conn.Close()
	}
	return n, err
}

// signs returns a number that changes when the guest says something, and all
// the time while a receiver on this side holds it up.
func (f *filter) signs() int64 {
	if f.held.Load() {
		return f.said.Add(1)
	}
	return f.said.Load()
}

// hold marks that reading waits for fn, which is not the guest's fault.
func (f *filter) hold(fn func()) {
	f.held.Store(true)
	fn()
	f.said.Add(1)
	f.held.Store(false)
}

// head is what is looked at of every message.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Send implements channel.Channel.
func (f *filter) Send(msg []byte) error {
	var h head
	if err := json.Unmarshal(msg, &h); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	id := strings.TrimSpace(string(h.ID))
	f.mu.Lock()
	switch {
	case h.Method == "":
		f.callbacks--
	case id != "":
		f.waiting[id] = struct{}{}
	}
	f.mu.Unlock()
	err := f.inner.Send(msg)
	if err != nil && id != "" {
		f.mu.Lock()
		delete(f.waiting, id)
		f.mu.Unlock()
	}
	return err
}

// Recv implements channel.Channel: it returns what jrpc2's client is to see.
func (f *filter) Recv() ([]byte, error) {
	for {
		line, o, err := f.inner.RecvOutput()
		if errors.Is(err, wire.ErrLineTooLong) {
			return nil, &ProtocolError{err}
		}
		if err != nil {
			return nil, err
		}
		if line == nil {
			f.output(o)
			continue
		}
		var h head
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, &ProtocolError{err}
		}
		id := strings.TrimSpace(string(h.ID))
		switch {
		case h.Method != "" && id == "":
			if err := f.notify(h.Method, h.Params); err != nil {
				return nil, err
			}
		case h.Method != "":
			f.mu.Lock()
			f.callbacks++
			n := f.callbacks
			f.mu.Unlock()
			if n > maxCallbacks {
				return nil, &ProtocolError{fmt.Errorf("more than %d calls at a time", maxCallbacks)}
			}
			return bytes.Clone(line), nil
		default:
			f.mu.Lock()
			_, asked := f.waiting[id]
			delete(f.waiting, id)
			f.mu.Unlock()
			if asked {
				return bytes.Clone(line), nil
			}
		}
	}
}

// Close implements channel.Channel.
func (f *filter) Close() error { return f.inner.Close() }
