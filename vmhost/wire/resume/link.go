package resume

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Window is how many bytes are under way in one direction at most.
const Window = 1 << 20

const (
	maxData = 64 << 10
	maxText = 4 << 10
)

// How long a transport may be silent, and how often one that has nothing to say says so.
const (
	Quiet = 20 * time.Second
	beat  = 5 * time.Second
)

// Types of frames.
const (
	frameHello = 'H'
	frameData  = 'D'
	frameTaken = 'A'
	frameEnd   = 'E'
	frameHeard = 'F'
	framePing  = 'P'
)

// ErrProtocol is that the other side says what no Link says.
var ErrProtocol = errors.New("the other side does not keep to the protocol of its stream")

// errReplaced ends a transport after which another one was attached.
var errReplaced = errors.New("another connection took its place")

// Link is one side of a stream. It is safe for concurrent use.
type Link struct {
	local io.ReadWriteCloser
	waits bool // for End, after the local side ended
	done  chan struct{}

	mu     sync.Mutex
	change *sync.Cond // of what follows

	out     []byte // not taken there yet
	outBase uint64 // how much of the stream came before out
	next    uint64 // where in the stream the present transport goes on; no more was sent
	silent  bool   // the local side has ended
	outEnd  bool   // nothing follows out
	outText string // why

	in      []byte // not taken here yet
	inBase  uint64
	inEnd   bool
	inText  string
	inTaken bool // all of it and its end was taken

	round     int // number of the transport
	transport io.Closer
	closed    bool
}

// New returns a Link for something local, which it owns. The stream ends with that; with
// waits, only when End says why.
func New(local io.ReadWriteCloser, waits bool) *Link {
	l := &Link{local: local, waits: waits, done: make(chan struct{})}
	l.change = sync.NewCond(&l.mu)
	go l.take()
	go l.give()
	return l
}

// Done is closed when the stream has ended on both sides, or by Close.
func (l *Link) Done() <-chan struct{} { return l.done }

// Ended is why the other side ended the stream, and whether it did.
func (l *Link) Ended() (text string, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inText, l.inEnd
}

// End says why the stream ends, of a Link that waits for it: when the local side has ended,
// and all that it said was taken.
func (l *Link) End(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits, l.outText = false, shorten(text)
	l.outEnd = l.outEnd || l.silent
	l.change.Broadcast()
}

func shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[len(text)-maxText:], "")
	}
	return text
}

// Close gives the stream up.
func (l *Link) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
}

func (l *Link) close() {
	if l.closed {
		return
	}
	l.closed = true
	l.change.Broadcast()
	if l.transport != nil {
		l.transport.Close()
	}
	l.local.Close()
	close(l.done)
}

// take takes what the local side says.
func (l *Link) take() {
	buf := make([]byte, maxData)
	for {
		n, err := l.local.Read(buf)
		l.mu.Lock()
		for len(l.out) > 0 && len(l.out)+n > Window && !l.closed {
			l.change.Wait()
		}
		if !l.outEnd {
			l.out = append(l.out, buf[:n]...)
			l.silent = err != nil
			l.outEnd = l.silent && !l.waits
		}
		over := err != nil || l.closed
		l.change.Broadcast()
		l.mu.Unlock()
		if over {
			return
		}
	}
}

// give gives the local side what came.
func (l *Link) give() {
	for {
		l.mu.Lock()
		for len(l.in) == 0 && !l.inEnd && !l.closed {
			l.change.Wait()
		}
		if l.closed {
			l.mu.Unlock()
			return
		}
		if len(l.in) == 0 {
			l.inTaken = true
			l.change.Broadcast()
			l.mu.Unlock()
			l.local.Close()
			return
		}
		b := l.in[:min(len(l.in), maxData)]
		l.mu.Unlock()
		_, err := l.local.Write(b) // what is appended meanwhile stands behind it
		l.mu.Lock()
		l.in = l.in[len(b):]
		if len(l.in) == 0 {
			l.in = nil
		}
		l.inBase += uint64(len(b))
		l.outEnd = l.outEnd || err != nil && !l.waits
		l.change.Broadcast()
		l.mu.Unlock()
		if err != nil {
			return // its reads end too
		}
	}
}

// Attach has the Link use a transport, which it owns, until that or the stream ends. A
// transport that is in use is given up for it.
func (l *Link) Attach(t io.ReadWriteCloser) error {
	defer t.Close()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	if l.transport != nil {
		l.transport.Close()
	}
	l.round++
	round := l.round
	l.transport = t
	received := l.inBase + uint64(len(l.in))
	l.change.Broadcast()
	l.mu.Unlock()

	silent := time.AfterFunc(Quiet, func() { t.Close() })
	defer silent.Stop()
	wrote := make(chan struct{})
	start := make(chan struct{}, 1) // the other side said what it lacks
	go func() {
		defer close(wrote)
		defer t.Close()
		l.send(t, round, received, start)
	}()
	err := l.receive(t, round, silent, start)
	t.Close()
	close(start)
	l.mu.Lock()
	if l.round == round {
		l.transport = nil
		l.round++ // its sender ends
	}
	l.change.Broadcast()
	l.mu.Unlock()
	<-wrote
	select {
	case <-l.done:
		return nil
	default:
		return err
	}
}

func frame(kind byte, payload []byte) []byte {
	b := make([]byte, 5, 5+len(payload))
	b[0] = kind
	binary.BigEndian.PutUint32(b[1:], uint32(len(payload)))
	return append(b, payload...)
}

func number(kind byte, n uint64) []byte {
	return frame(kind, binary.BigEndian.AppendUint64(nil, n))
}

// send writes what the other side lacks, until another transport is attached.
func (l *Link) send(t io.Writer, round int, received uint64, start <-chan struct{}) {
	if _, err := t.Write(number(frameHello, received)); err != nil {
		return
	}
	if _, ok := <-start; !ok {
		return
	}
	due := false
	tick := time.AfterFunc(beat, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		due = true
		l.change.Broadcast()
	})
	defer tick.Stop()
	taken, ended, heard := uint64(0), false, false
	for {
		l.mu.Lock()
		var b []byte
		for {
			if l.round != round {
				l.mu.Unlock()
				return
			}
			left := l.outBase + uint64(len(l.out)) - l.next
			switch {
			case l.inBase > taken:
				taken = l.inBase
				b = number(frameTaken, taken)
			case left > 0:
				at := int(l.next - l.outBase)
				n := min(int(left), maxData)
				b = frame(frameData, l.out[at:at+n])
				l.next += uint64(n)
			case l.outEnd && !ended:
				ended = true
				b = frame(frameEnd, []byte(l.outText))
			case l.inTaken && !heard:
				heard = true
				b = frame(frameHeard, nil)
			case due:
				b = frame(framePing, nil)
			}
			if b != nil {
				break
			}
			if l.closed {
				l.mu.Unlock()
				return
			}
			l.change.Wait()
		}
		due = false
		l.mu.Unlock()
		tick.Reset(beat)
		if _, err := t.Write(b); err != nil {
			return
		}
		if heard {
			l.Close()
			return
		}
	}
}

// receive reads frames until the transport ends.
func (l *Link) receive(t io.Reader, round int, silent *time.Timer, start chan<- struct{}) error {
	head := make([]byte, 5)
	buf := make([]byte, maxData)
	for first := true; ; first = false {
		if _, err := io.ReadFull(t, head); err != nil {
			return err
		}
		n := binary.BigEndian.Uint32(head[1:])
		if n > maxData || first != (head[0] == frameHello) {
			return fmt.Errorf("%w: frame %q of %d bytes", ErrProtocol, head[0], n)
		}
		b := buf[:n]
		if _, err := io.ReadFull(t, b); err != nil {
			return err
		}
		silent.Reset(Quiet)
		if err := l.heard(round, head[0], b, start); err != nil {
			return err
		}
	}
}

// heard takes one frame.
func (l *Link) heard(round int, kind byte, b []byte, start chan<- struct{}) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.change.Broadcast()
	if l.round != round {
		return errReplaced
	}
	wrong := fmt.Errorf("%w: frame %q of %d bytes", ErrProtocol, kind, len(b))
	switch kind {
	case frameHello, frameTaken:
		if len(b) != 8 {
			return wrong
		}
		n := binary.BigEndian.Uint64(b)
		if n < l.outBase || n > l.next {
			return wrong
		}
		if kind == frameHello {
			l.next = n
			start <- struct{}{}
			return nil
		}
		l.out = l.out[n-l.outBase:]
		if len(l.out) == 0 {
			l.out = nil
		}
		l.outBase = n
	case frameData:
		if l.inEnd || len(b) == 0 || len(l.in)+len(b) > Window+maxData {
			return wrong
		}
		l.in = append(l.in, b...)
	case frameEnd:
		if len(b) > maxText {
			return wrong
		}
		if !l.inEnd {
			l.inEnd, l.inText = true, shorten(string(b))
		}
	case frameHeard:
		if len(b) != 0 || !l.outEnd {
			return wrong
		}
		l.close()
	case framePing:
		if len(b) != 0 {
			return wrong
		}
	default:
		return wrong
	}
	return nil
}
