package sessions

import (
	"context"
	"io"

	"piwork/app/attach"
	"piwork/vmhost/wire"
)

// conn is a client of a session.
type conn struct {
	s    *session
	next int64 // offset of the byte to read
	info attach.Info
	data []byte // of the last Read

	// Guarded by the session.
	lease attach.Conn // to write to the program; nil without the lease
	taken bool        // its lease was; it was not told yet
}

// Info implements attach.Conn.
func (c *conn) Info() attach.Info { return c.info }

// Read implements attach.Conn. It never holds the program up.
func (c *conn) Read(ctx context.Context) (attach.Piece, error) {
	s := c.s
	if err := s.until(ctx, func() bool { return c.taken || c.next < s.out.end || s.over() }); err != nil {
		return attach.Piece{}, err
	}
	defer s.mu.Unlock()
	if c.taken {
		c.taken = false
		return attach.Piece{Taken: true}, nil
	}
	if start := s.out.start(); c.next < start {
		skipped := start - c.next
		c.next = start
		return attach.Piece{Skipped: skipped}, nil
	}
	stream, data := s.out.from(c.next)
	if len(data) == 0 {
		return attach.Piece{}, io.EOF
	}
	c.next += int64(len(data))
	c.data = append(c.data[:0], data...)
	return attach.Piece{Stream: stream, Data: c.data}, nil
}

// mine runs do when the client has the lease to write. Who takes the lease meanwhile ends it.
func (c *conn) mine(do func(lease attach.Conn) error) error {
	c.s.mu.Lock()
	lease := c.lease
	if lease == nil {
		c.s.mu.Unlock()
		return attach.ErrNoInput
	}
	c.s.active()
	c.s.mu.Unlock()
	return do(lease)
}

// Write implements attach.Conn.
func (c *conn) Write(ctx context.Context, data []byte) error {
	return c.mine(func(t attach.Conn) error { return t.Write(ctx, data) })
}

// CloseInput implements attach.Conn.
func (c *conn) CloseInput(ctx context.Context) error {
	return c.mine(func(t attach.Conn) error { return t.CloseInput(ctx) })
}

// Resize implements attach.Conn. Who only reads has a size of their own.
func (c *conn) Resize(_ context.Context, size wire.TerminalSize) error {
	if err := size.Validate(); err != nil {
		return err
	}
	_ = c.mine(func(attach.Conn) error { return c.s.resize(size) })
	return nil
}

// Close implements attach.Conn: the client goes, and with it its lease.
func (c *conn) Close() error {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.leave(c)
	return nil
}
