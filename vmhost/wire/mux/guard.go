package mux

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrHostile is that a guest says what the bridge in it never says. Nothing is
// read of the connection afterwards.
var ErrHostile = errors.New("the guest does not keep to the protocol of its streams")

// Frames of yamux (spec.md, "Framing").
const (
	headLen = 12

	typeData   = 0
	typeWindow = 1
	typePing   = 2
	typeGoAway = 3

	flagSYN = 1
	flagACK = 2
	flagFIN = 4
	flagRST = 8
)

// Guard stands between the host's side and a guest that may say anything, and ends
// the connection with ErrHostile over a frame that is none, one that is larger
// than a window, a question whether the host is there, a stream that does not have
// a new number, and more streams than MaxStreams. Reads are done by one goroutine
// and writes by one, as yamux does. It owns conn.
func Guard(conn io.ReadWriteCloser) io.ReadWriteCloser {
	return &guard{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), open: map[uint32]uint16{}}
}

type guard struct {
	conn io.ReadWriteCloser

	// Of who reads. A head is given on whole and alone, so that all before it was
	// dealt with when it is looked at.
	in      *bufio.Reader
	payload uint32 // bytes left of the frame's
	head    []byte // what is left of one that was looked at

	// Of who writes.
	out     [headLen]byte // the head that is under way
	outHas  int
	outLeft uint32 // bytes left of the frame's

	mu   sync.Mutex
	last uint32            // number that the guest gave
	open map[uint32]uint16 // streams, with who ended them
}

// Who ended a stream.
const (
	guestEnded = 1 << iota
	hostEnded
)

// head is the head of a frame.
type head struct {
	version, typ byte
	flags        uint16
	stream, size uint32
}

func parse(b []byte) head {
	return head{b[0], b[1], binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])}
}

func (g *guard) Read(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case len(g.head) > 0:
	case g.payload > 0:
		n, err := g.in.Read(p[:min(len(p), int(g.payload))])
		g.payload -= uint32(n)
		return n, err
	default:
		b := make([]byte, headLen)
		if n, err := io.ReadFull(g.in, b); err != nil {
			if n == 0 && errors.Is(err, io.EOF) {
				return 0, io.EOF
			}
			return 0, err
		}
		h := parse(b)
		if err := g.hear(h); err != nil {
			return 0, err
		}
		if g.head = b; h.typ == typeData {
			g.payload = h.size
		}
	}
	n := copy(p, g.head)
	g.head = g.head[n:]
	return n, nil
}

// hear looks at what the guest says.
func (g *guard) hear(h head) error {
	bad := func(what string) error {
		return fmt.Errorf("%w: %s: version %d, type %d, flags %#x, stream %d, %d bytes", ErrHostile, what, h.version, h.typ, h.flags, h.stream, h.size)
	}
	switch {
	case h.version != 0 || h.typ > typeGoAway || h.flags > flagSYN|flagACK|flagFIN|flagRST:
		return bad("this is no frame")
	case h.typ == typeGoAway, h.typ == typePing && h.flags == flagACK:
		return nil // an answer, or the end
	case h.typ == typePing:
		return bad("nobody asks the host whether it is there")
	case h.size > Window:
		return bad("more than a window")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if h.flags&flagSYN != 0 {
		if h.stream%2 == 0 || h.stream <= g.last {
			return bad("a stream without a new number")
		}
		if len(g.open) >= MaxStreams {
			return bad("too many streams")
		}
		g.last, g.open[h.stream] = h.stream, 0
	}
	g.ended(h, guestEnded)
	return nil
}

// ended counts streams out. mu is held.
func (g *guard) ended(h head, side uint16) {
	was, ok := g.open[h.stream]
	if !ok {
		return
	}
	if h.flags&flagFIN != 0 {
		was |= side
		g.open[h.stream] = was
	}
	if h.flags&flagRST != 0 || was == guestEnded|hostEnded {
		delete(g.open, h.stream)
	}
}

func (g *guard) Write(p []byte) (int, error) {
	// What the host ends is noted before it is said: the guest may open another
	// one the moment it hears of it.
	for rest := p; len(rest) > 0; {
		if g.outLeft > 0 {
			n := min(len(rest), int(g.outLeft))
			g.outLeft -= uint32(n)
			rest = rest[n:]
			continue
		}
		n := copy(g.out[g.outHas:], rest)
		rest = rest[n:]
		if g.outHas += n; g.outHas < headLen {
			continue
		}
		g.outHas = 0
		h := parse(g.out[:])
		if h.typ == typeData {
			g.outLeft = h.size
		}
		if h.typ == typeData || h.typ == typeWindow {
			g.mu.Lock()
			g.ended(h, hostEnded)
			g.mu.Unlock()
		}
	}
	return g.conn.Write(p)
}

func (g *guard) Close() error { return g.conn.Close() }
