package ninep

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
)

// traffic is the requests of one mount that are under way, and the way back for
// their replies. A tag is in use until its reply is about to be written.
type traffic struct {
	out *output

	mu      sync.Mutex
	free    *sync.Cond // something ended, was answered, or waits for a person
	under   map[uint16]*pending
	waiting int  // of under: they wait for a person, and hold next to nothing
	posted  int  // of the reader's own, not written yet
	ended   bool // nothing new is let in
	muted   bool // the guest has mounted again: nobody waits for replies
	work    sync.WaitGroup
}

// pending is a request under way.
type pending struct {
	flushes []uint16           // tags of Tflush to answer when it ends
	cancel  context.CancelFunc // ends its waiting for a person; nil while it does not
}

func newTraffic(out *output) *traffic {
	t := &traffic{out: out, under: map[uint16]*pending{}}
	t.free = sync.NewCond(&t.mu)
	return t
}

// admit counts a request in, after waiting until there is room.
func (t *traffic) admit(tag uint16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.ended && len(t.under)-t.waiting >= MaxInFlight && t.under[tag] == nil {
		t.free.Wait()
	}
	switch {
	case t.ended:
		return io.ErrClosedPipe
	case t.under[tag] != nil:
		return &ProtocolError{"a tag is used twice"}
	}
	t.under[tag] = &pending{}
	return nil
}

// flush answers a Tflush: right after the reply of what it names, never before it or between. It
// does not wait for anything, so that flushes cannot wait for each other.
func (t *traffic) flush(tag, old uint16) error {
	t.mu.Lock()
	p := t.under[old]
	if p != nil && len(p.flushes) < MaxInFlight {
		p.flushes = append(p.flushes, tag)
		if p.cancel != nil {
			p.cancel()
		}
		t.mu.Unlock()
		return nil
	}
	t.mu.Unlock()
	return t.post(reply(tFlush+1, tag, nil)) // after the reply: finish holds out.mu until that is written
}

// post sends a reply of the reader's own. The reader does not wait until that is taken: where
// QEMU is in the middle of writing to a pipe, it takes nothing until all of it is read.
func (t *traffic) post(frame []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.ended && t.posted >= MaxInFlight {
		t.free.Wait()
	}
	if t.ended {
		return io.ErrClosedPipe
	}
	t.posted++
	t.work.Go(func() {
		t.out.mu.Lock()
		defer t.out.mu.Unlock()
		t.mu.Lock()
		t.posted--
		t.free.Broadcast()
		muted := t.muted
		t.mu.Unlock()
		if !muted {
			_ = t.out.write(frame) // a stream that broke is the reader's to notice
		}
	})
	return nil
}

// waits begins the waiting of a request for a person, which a Tflush and the end
// of the mount end; done ends it. A request that holds no payload leaves its room
// to others, so that those who wait do not stop the rest.
func (t *traffic) waits(tag uint16, payload bool) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.under[tag]
	p.cancel = cancel
	if t.ended || len(p.flushes) > 0 {
		cancel()
	}
	room := !payload && t.waiting < maxWaiting
	if room {
		t.waiting++
		t.free.Broadcast()
	}
	return ctx, func() {
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		p.cancel = nil
		if room {
			t.waiting--
		}
	}
}

// finish sends the reply of a request, in parts, and with it those of the
// flushes that wait for it.
func (t *traffic) finish(tag uint16, parts ...[]byte) error {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	t.mu.Lock()
	p := t.under[tag]
	delete(t.under, tag)
	flushes, muted := p.flushes, t.muted
	t.free.Broadcast()
	t.mu.Unlock()
	if muted {
		return nil
	}
	for _, f := range flushes {
		parts = append(parts, reply(tFlush+1, f, nil))
	}
	return t.out.write(parts...)
}

// end lets nothing new in and waits for what is under way. muted drops its
// replies.
func (t *traffic) end(muted bool) {
	t.stop(muted)
	t.work.Wait()
}

func (t *traffic) stop(muted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.muted = t.muted || muted
	for _, p := range t.under {
		if p.cancel != nil {
			p.cancel()
		}
	}
	t.free.Broadcast()
}

// output writes whole frames to the guest, one at a time.
type output struct {
	mu   sync.Mutex
	conn io.Writer
}

func (o *output) send(frame []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(frame)
}

// write writes the parts of frames in one go where it can; mu is held.
func (o *output) write(parts ...[]byte) error {
	bufs := net.Buffers(parts)
	_, err := bufs.WriteTo(o.conn)
	return err
}

// rerror is an Rlerror.
func rerror(tag uint16, errno uint32) []byte {
	return reply(rError, tag, binary.LittleEndian.AppendUint32(nil, errno))
}

// reply is a small message.
func reply(typ msgType, tag uint16, body []byte) []byte {
	b := make([]byte, 0, headLen+len(body))
	b = binary.LittleEndian.AppendUint32(b, uint32(headLen+len(body)))
	b = append(b, byte(typ))
	b = binary.LittleEndian.AppendUint16(b, tag)
	return append(b, body...)
}
