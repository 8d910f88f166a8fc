package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"

	"github.com/creachadair/jrpc2/channel"
)

// MaxLine is the longest message, in bytes, its line feed included.
const MaxLine = 1 << 20

// can begins a conversation, alone on a line (CAN of ECMA-48). JSON holds no
// control characters, so it stands in no message.
const can = 0x18

// readSize is how much is read at a time, in bytes.
const readSize = 64 << 10

// Channel returns a jrpc2 channel of one message per line on rw, like
// channel.Line, that refuses lines over [MaxLine] in both directions. As jrpc2
// asks, one goroutine may send while another receives. closer may be nil.
//
// A port can change hands without the guest seeing an end: it hears of the
// host's going and coming on another way than of its bytes. So the first
// message on a channel is preceded by a line with CAN. Whatever was half said
// before it is dropped.
func Channel(rw io.ReadWriter, closer io.Closer) channel.Channel {
	return &lineChannel{r: bufio.NewReaderSize(rw, readSize), w: rw, c: closer}
}

// Accept returns the channel of the side that is called, the guest: there CAN
// from the other side ends a conversation that has begun (io.EOF), for what
// follows is asked by somebody else. r is kept by the caller, who accepts one
// conversation after another on it.
func Accept(r *bufio.Reader, w io.Writer, closer io.Closer) channel.Channel {
	return &lineChannel{r: r, w: w, c: closer, accepts: true}
}

type lineChannel struct {
	r        *bufio.Reader
	w        io.Writer
	c        io.Closer
	accepts  bool
	buf      []byte      // of Send; one sender at a time
	sent     bool        // of Send: the conversation has begun
	received bool        // of Recv: likewise
	closed   atomic.Bool // nothing is sent any more, even by a late handler
}

// Send writes msg and a line feed in one Write, so that a reader never sees a
// message without its end because of a second writer.
func (l *lineChannel) Send(msg []byte) error {
	if len(msg)+1 > MaxLine {
		return fmt.Errorf("%w: %d bytes", ErrLineTooLong, len(msg))
	}
	if bytes.IndexByte(msg, '\n') >= 0 {
		return errors.New("wire: message contains a line feed")
	}
	if l.closed.Load() {
		return net.ErrClosed
	}
	l.buf = l.buf[:0]
	if !l.sent {
		l.buf = append(l.buf, can, '\n')
		l.sent = true
	}
	l.buf = append(append(l.buf, msg...), '\n')
	_, err := l.w.Write(l.buf)
	return err
}

// Recv returns the next message without its end. A partial line before CAN or
// the end of the stream is dropped: it was cut off.
func (l *lineChannel) Recv() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrLineTooLong, MaxLine)
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case bytes.IndexByte(line, can) >= 0:
			if l.accepts && l.received {
				return nil, io.EOF
			}
		case len(line) > 0:
			l.received = true
			return line, nil
		}
		line = line[:0]
	}
}

func (l *lineChannel) Close() error {
	l.closed.Store(true)
	if l.c == nil {
		return nil
	}
	return l.c.Close()
}
