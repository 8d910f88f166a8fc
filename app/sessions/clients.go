package sessions

import (
	"context"
	"errors"
	"time"

	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// Bounds of clients that have no connection.
const (
	maxPolled = 32               // of one session
	maxOutput = 256 << 10        // bytes of one answer
	patience  = 15 * time.Second // after its last request a client counts as gone
)

// clients are those of one session. It is guarded by the session.
type clients struct {
	all    map[*conn]struct{}
	polled map[string]*poller // by the name that each gave itself
	turn   int64              // grows when another one writes, and with each new size
}

// poller is a client that asks again and again instead of having a connection: pages in a
// window, where a WebSocket cannot pass.
type poller struct {
	conn  *conn
	under int       // requests under way
	last  time.Time // when the last one ended
}

// writer is the client that has the lease to write; nil is none.
func (c *clients) writer() *conn {
	for one := range c.all {
		if one.lease != nil {
			return one
		}
	}
	return nil
}

// attach adds a client.
func (s *session) attach(r AttachRequest) (*conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &conn{s: s, next: max(s.out.start(), min(r.From, s.out.end))}
	if r.From > 0 && r.From < s.out.start() {
		c.next = r.From // and it is told what it misses
	}
	if r.Last {
		c.next = s.out.end
	}
	if r.Write {
		if err := s.lease(c, r.Take); err != nil {
			return nil, err
		}
	}
	c.info = attach.Info{Terminal: s.req.Terminal != nil, Input: r.Write && !s.over(), Offset: c.next}
	s.clients.all[c] = struct{}{}
	s.change()
	return c, nil
}

// lease lets a client write, with take also where another one does: of what that one wrote,
// nothing comes behind. mu is held.
func (s *session) lease(c *conn, take bool) error {
	s.lapse()
	switch other := s.clients.writer(); {
	case other == c:
		return nil
	case other != nil && !take:
		return problem.New(problem.CodeSessionBusy).With("session", s.public.ID).By("writer")
	case other != nil:
		_ = other.lease.Close() // never an error, as in leave
		other.lease, other.taken = nil, true
		s.prog.DropInput()
	}
	c.lease = s.prog.Attach(false)
	s.clients.turn++
	s.change()
	return nil
}

// leave takes a client out, and with it its lease. mu is held.
func (s *session) leave(c *conn) {
	if _, here := s.clients.all[c]; !here {
		return
	}
	delete(s.clients.all, c)
	if c.lease != nil {
		_ = c.lease.Close()
		c.lease = nil
		s.clients.turn++
	}
	s.change()
}

// lapse takes out those who have not asked for a while. mu is held.
func (s *session) lapse() {
	for name, p := range s.clients.polled {
		if p.under == 0 && s.set.o.Now().Sub(p.last) > patience {
			delete(s.clients.polled, name)
			s.leave(p.conn)
		}
	}
}

// enterPolled finds the client of a name, or adds it. Whoever calls it calls done at the end
// of the request; a client whose request was broken off is gone then. mu is held.
func (s *session) enterPolled(ctx context.Context, name string) (p *poller, done func(), err error) {
	s.lapse()
	p = s.clients.polled[name]
	if p == nil {
		if len(s.clients.polled) >= maxPolled {
			return nil, nil, problem.New(problem.CodeSessionBusy).With("session", s.public.ID).With("max", maxPolled).By("clients")
		}
		p = &poller{conn: &conn{s: s}}
		s.clients.polled[name] = p
		s.clients.all[p.conn] = struct{}{}
		s.change()
	}
	p.under++
	return p, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		p.under--
		p.last = s.set.o.Now()
		if ctx.Err() != nil && p.under == 0 && s.clients.polled[name] == p {
			delete(s.clients.polled, name)
			s.leave(p.conn)
		}
	}, nil
}

// resize changes the size of the terminal, and tells everybody who reads.
func (s *session) resize(size wire.TerminalSize) error {
	if err := s.prog.Resize(size); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.public.Size == nil || *s.public.Size != size {
		s.public.Size = &size
		s.clients.turn++
		s.change()
	}
	return nil
}

// read answers a client with output from an offset. Without any it waits for it, for another
// turn or the end.
func (s *session) read(ctx context.Context, r OutputRequest) (out Output, err error) {
	s.mu.Lock()
	p, done, err := s.enterPolled(ctx, r.Client)
	s.mu.Unlock()
	if err != nil {
		return Output{}, err
	}
	defer done()
	wait, cancel := context.WithTimeout(ctx, time.Duration(r.WaitMS)*time.Millisecond)
	defer cancel()
	err = s.until(wait, func() bool { return s.out.end > r.From || s.over() || s.clients.turn != r.Seen })
	if ctx.Err() != nil {
		if err == nil {
			s.mu.Unlock()
		}
		return Output{}, problem.From(context.Cause(ctx))
	}
	if err != nil { // the time is over
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	at := max(s.out.start(), min(r.From, s.out.end))
	out = Output{At: at, Data: []byte{}, Writes: p.conn.lease != nil, Turn: s.clients.turn, Session: s.snapshot()}
	for len(out.Data) < maxOutput {
		_, data := s.out.from(at + int64(len(out.Data)))
		if len(data) == 0 {
			break
		}
		out.Data = append(out.Data, data[:min(len(data), maxOutput-len(out.Data))]...)
	}
	return out, nil
}

// write types what a client says, who gets the lease with it where nobody else has it.
func (s *session) write(ctx context.Context, r InputRequest) (Session, error) {
	s.mu.Lock()
	p, done, err := s.enterPolled(ctx, r.Client)
	if err == nil {
		defer done()
		if s.over() {
			err = problem.New(problem.CodeSessionOver).With("session", s.public.ID).By(string(s.public.Reason))
		} else {
			err = s.lease(p.conn, r.Take)
		}
	}
	s.mu.Unlock()
	if err != nil {
		return Session{}, err
	}
	switch err := p.conn.Write(ctx, r.Data); {
	case errors.Is(err, attach.ErrNoInput): // another client took over just now
		return Session{}, problem.New(problem.CodeSessionBusy).With("session", s.public.ID).By("writer")
	case err != nil:
		return Session{}, problem.From(err)
	}
	return s.look(), nil
}
