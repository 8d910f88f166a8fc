package ninep

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/internal/lead"
)

// Options of Serve. The zero value is valid.
type Options struct {
	Log      *slog.Logger  // nil is slog.Default()
	Patience time.Duration // with requests under way at the end; 0 is drive.Farewell
}

// Serve serves the set on conn until conn or ctx ends, and closes conn. An
// ordinary end is nil; what the guest did wrong is a [*ProtocolError]. It
// returns when nothing that it started runs any more, but for requests that do not end in
// time: a drive may never answer. They end when it does, and nobody hears of them.
func Serve(ctx context.Context, conn io.ReadWriteCloser, set *share.Set, o Options) error {
	o.Log, o.Patience = cmp.Or(o.Log, slog.Default()), cmp.Or(o.Patience, drive.Farewell())
	c := &connection{conn: conn, set: set, log: o.Log, br: bufio.NewReaderSize(conn, 64<<10), out: &output{conn: conn}, over: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	ended := make(chan error, 1)
	go func() {
		err := c.run()
		if c.mount != nil {
			c.mount.end(true)
		}
		ended <- err
	}()
	var err error
	select {
	case err = <-ended:
	case <-c.over:
		err = c.leave(ended, o.Patience)
	case <-ctx.Done(): // it may be the reader that a request of an earlier mount holds up
		err = c.leave(ended, o.Patience)
	}
	var wrong *ProtocolError
	switch {
	case errors.As(err, &wrong):
		o.Log.Warn("a guest broke the file protocol", "err", err)
		return wrong
	case ctx.Err() != nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, io.ErrClosedPipe), errors.Is(err, net.ErrClosed):
		return nil
	}
	return fmt.Errorf("serving folders: %w", err)
}

// leave waits for the end no longer than it has patience, and returns the error of the stream.
func (c *connection) leave(ended <-chan error, patience time.Duration) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
	}
	c.log.Warn("9p: requests that a drive does not answer are left behind", "after", patience)
	select {
	case <-c.over:
		return c.failed
	default:
		return net.ErrClosed
	}
}

// connection is a stream with a guest at its other end.
type connection struct {
	conn  io.Closer
	set   *share.Set
	log   *slog.Logger
	br    *bufio.Reader
	out   *output
	mount *mount // nil before the first Tversion

	over   chan struct{} // closed when the stream has ended, because of failed
	failed error
}

// run deals with frames until the stream ends.
func (c *connection) run() error {
	var work sync.WaitGroup
	defer work.Wait()
	l := &lead.Loop[request]{Work: &work, Deal: request.serve, Take: func() (r request, more bool) {
		r, c.failed = c.take()
		return r, c.failed == nil
	}}
	<-l.Start()
	close(c.over)
	c.conn.Close() // so that nothing waits to write
	if c.mount != nil {
		c.mount.stop(true)
	}
	return c.failed
}

// take waits for a request to deal with. While another one is there already, it
// has it dealt with apart.
func (c *connection) take() (request, error) {
	for {
		limit := minMessage
		if c.mount != nil {
			limit = c.mount.msize
		}
		f, err := readFrame(c.br, limit)
		if err != nil {
			return request{}, err
		}
		var r request
		switch {
		case f.typ == tVersion:
			err = c.greet(f)
		case c.mount == nil:
			err = &ProtocolError{fmt.Sprintf("a message of type %d before Tversion", f.typ)}
		case f.tag == noTag:
			err = &ProtocolError{fmt.Sprintf("a message of type %d without a tag", f.typ)}
		default:
			r, err = c.request(f)
		}
		if err != nil {
			return request{}, err
		}
		if r.m == nil {
			continue
		}
		if c.br.Buffered() == 0 {
			return r, nil
		}
		go r.serve()
	}
}

// request is one that was let in.
type request struct {
	m    *mount
	f    frame
	data []byte // of a Twrite
}

func (r request) serve() {
	defer r.m.work.Done()
	r.m.serve(r.f, r.data)
}

const noTag = 0xffff

// request lets in what a frame asks for, or answers it (the request is empty then).
func (c *connection) request(f frame) (request, error) {
	m := c.mount
	if errno := f.check(); errno != 0 {
		if _, err := c.br.Discard(f.payload); err != nil {
			return request{}, err
		}
		return request{}, m.post(rerror(f.tag, uint32(errno)))
	}
	if f.typ == tFlush {
		return request{}, m.flush(f.tag, binary.LittleEndian.Uint16(f.bytes[headLen:]))
	}
	if err := m.admit(f.tag); err != nil {
		return request{}, err
	}
	r := request{m: m, f: f}
	if f.payload > 0 {
		r.data = m.buffer(f.payload)
		if _, err := io.ReadFull(c.br, r.data); err != nil {
			return request{}, err
		}
	}
	m.work.Add(1)
	return r, nil
}

// greet answers Tversion. It ends the present mount, if there is one, and begins
// a new one.
func (c *connection) greet(f frame) error {
	b := f.bytes[headLen:]
	if len(b) < 4 {
		return &ProtocolError{"a damaged Tversion"}
	}
	msize := binary.LittleEndian.Uint32(b)
	version, rest, ok := cutString(b[4:])
	switch {
	case !ok || len(rest) > 0:
		return &ProtocolError{"a damaged Tversion"}
	case !strings.HasPrefix(version, "9P2000.L"):
		return c.out.send(versionReply(f.tag, minMessage, "unknown"))
	case msize < minMessage:
		return c.out.send(rerror(f.tag, uint32(linux.EMSGSIZE)))
	}
	if c.mount != nil {
		c.mount.end(true)
	}
	c.mount = newMount(c, int(min(msize, MaxMessage)))
	return c.out.send(versionReply(f.tag, c.mount.msize, "9P2000.L"))
}

func versionReply(tag uint16, msize int, version string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(msize))
	return reply(tVersion+1, tag, appendString(b, version))
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}
