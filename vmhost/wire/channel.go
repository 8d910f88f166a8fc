package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// MaxLine is the longest message, in bytes, its line feed included.
const MaxLine = 1 << 20

// can begins a conversation, alone on a line (CAN of ECMA-48). JSON holds no
// control characters, so it stands in no message.
const can = 0x18

// readSize is how much is read at a time, in bytes: two pieces of output that an agent reads
// from a full pipe.
const readSize = 192 << 10

// Channel returns a jrpc2 channel of one message per line on rw, like
// channel.Line, that refuses lines over [MaxLine] in both directions. Several goroutines may
// send while another receives. closer may be nil.
//
// A port can change hands without the guest seeing an end: it hears of the
// host's going and coming on another way than of its bytes. So the first
// message on a channel is preceded by a line with CAN. Whatever was half said
// before it is dropped.
func Channel(rw io.ReadWriter, closer io.Closer) *Lines {
	return &Lines{r: bufio.NewReaderSize(rw, readSize), w: rw, c: closer}
}

// Accept returns the channel of the side that is called, the guest: there CAN
// from the other side ends a conversation that has begun (io.EOF), for what
// follows is asked by somebody else. r is kept by the caller, who accepts one
// conversation after another on it.
func Accept(r *bufio.Reader, w io.Writer, closer io.Closer) *Lines {
	return &Lines{r: r, w: w, c: closer, accepts: true}
}

// Lines is a channel of one message per line.
type Lines struct {
	r        *bufio.Reader
	w        io.Writer
	c        io.Closer
	accepts  bool
	long     []byte      // of RecvShared: a message that the reader's buffer cannot hold
	received bool        // of RecvShared: the conversation has begun
	closed   atomic.Bool // nothing is sent any more, even by a late handler

	mu   sync.Mutex // of who sends
	buf  []byte
	sent bool // the conversation has begun
}

// Send implements channel.Channel. Message and line feed are one Write, so that a reader
// never sees a message without its end because of a second writer.
func (l *Lines) Send(msg []byte) error {
	if len(msg)+1 > MaxLine {
		return fmt.Errorf("%w: %d bytes", ErrLineTooLong, len(msg))
	}
	if bytes.IndexByte(msg, '\n') >= 0 {
		return errors.New("wire: message contains a line feed")
	}
	return l.write(func(to []byte) []byte { return append(append(to, msg...), '\n') })
}

// SendOutput sends output as NotifyExecOutput. It may be called beside Send.
func (l *Lines) SendOutput(o ExecOutput) error {
	if err := o.Validate(); err != nil {
		return err
	}
	return l.write(func(to []byte) []byte {
		if o.Raw {
			return appendRaw(to, o)
		}
		return append(appendOutput(to, o), '\n')
	})
}

// write sends what message appends, with its end.
func (l *Lines) write(message func([]byte) []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return net.ErrClosed
	}
	l.buf = l.buf[:0]
	if !l.sent {
		l.buf = append(l.buf, can, '\n')
		l.sent = true
	}
	l.buf = message(l.buf)
	_, err := l.w.Write(l.buf)
	return err
}

// Recv implements channel.Channel.
func (l *Lines) Recv() ([]byte, error) {
	line, err := l.RecvShared()
	return bytes.Clone(line), err
}

// RecvShared returns the next message without its end, until the next call. A partial line
// before CAN or the end of the stream is dropped: it was cut off.
func (l *Lines) RecvShared() ([]byte, error) {
	for {
		line, err := l.readLine()
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
	}
}

// RecvOutput is RecvShared for the side that takes output: what SendOutput sent is decoded,
// and msg is nil then. The data is the caller's.
func (l *Lines) RecvOutput() (msg []byte, o ExecOutput, err error) {
	if msg, err = l.RecvShared(); err != nil {
		return nil, ExecOutput{}, err
	}
	if o, ok := ParseOutput(msg); ok {
		return nil, o, nil
	}
	o, ok := parseRaw(msg)
	if !ok {
		return msg, ExecOutput{}, nil
	}
	if _, err := io.ReadFull(l.r, o.Data); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, ExecOutput{}, io.EOF // it was cut off
	} else if err != nil {
		return nil, ExecOutput{}, err
	}
	return nil, o, nil
}

// readLine returns a line of at most MaxLine bytes, until the next call.
func (l *Lines) readLine() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err == nil {
		return part, nil
	}
	for l.long = l.long[:0]; ; part, err = l.r.ReadSlice('\n') {
		if len(l.long)+len(part) > MaxLine {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrLineTooLong, MaxLine)
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}

// Close implements channel.Channel.
func (l *Lines) Close() error {
	l.closed.Store(true)
	if l.c == nil {
		return nil
	}
	return l.c.Close()
}
