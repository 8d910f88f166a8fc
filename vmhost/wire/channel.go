package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/creachadair/jrpc2/channel"
)

// MaxLine is the longest message, in bytes, its line feed included.
const MaxLine = 1 << 20

// Channel returns a jrpc2 channel of one message per line on rw, like
// channel.Line, that refuses lines over [MaxLine] in both directions. As jrpc2
// asks, one goroutine may send while another receives. closer may be nil.
func Channel(rw io.ReadWriter, closer io.Closer) channel.Channel {
	return &lineChannel{r: bufio.NewReaderSize(rw, 64<<10), w: rw, c: closer}
}

type lineChannel struct {
	r   *bufio.Reader
	w   io.Writer
	c   io.Closer
	buf []byte // of Send; one sender at a time
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
	l.buf = append(append(l.buf[:0], msg...), '\n')
	_, err := l.w.Write(l.buf)
	return err
}

// Recv returns the next non-empty line without its end. A partial line before
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
		if len(line) > 0 {
			return line, nil
		}
		line = line[:0]
	}
}

func (l *lineChannel) Close() error {
	if l.c == nil {
		return nil
	}
	return l.c.Close()
}
