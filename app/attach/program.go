package attach

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"piwork/vmhost/wire"
)

// Bounds of a [Program], in bytes.
const (
	Backlog = 256 << 10 // of output that are kept, and by which a client may lag
	Room    = 64 << 10  // of input that the program did not take yet
)

// Errors of a [Conn].
var (
	ErrBehind  = errors.New("attach: the output came faster than it was read")
	ErrNoInput = errors.New("attach: the program takes no input from here")
)

// Info is what a program takes.
type Info struct {
	Terminal bool `json:"terminal"` // it runs on a terminal
	Input    bool `json:"input"`    // its input is what clients write

	// Offset is how many bytes of output came before those that are sent, where the
	// program's output is counted.
	Offset int64 `json:"offset,omitempty"`
}

// Piece is a piece of output, or says something of it.
type Piece struct {
	Stream string // wire.Stdout or wire.Stderr
	Data   []byte

	Skipped int64 // bytes that are missing before what comes next; then there is no Data
	Taken   bool  // from now on another client writes the input, and not this one; likewise
}

// pieceCost is what a piece takes in memory beside its data: many small ones are many.
const pieceCost = 64

// kept is a piece in the backlog.
type kept struct {
	Piece
	at int64 // cost of all pieces before it
}

// Conn is one client. Read is for one goroutine, the others for any.
type Conn interface {
	Info() Info
	// Read returns the next output; io.EOF when the program is over and everything was read.
	// Its data is there until the next Read.
	Read(ctx context.Context) (Piece, error)
	// Write waits until the program, or a buffer before it, has room.
	Write(ctx context.Context, data []byte) error
	CloseInput(ctx context.Context) error
	Resize(ctx context.Context, s wire.TerminalSize) error
	Close() error
}

// Program is the standard streams of one program.
type Program struct {
	info  Info
	sizes chan wire.TerminalSize // has the latest

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever something below changes
	pieces  []kept
	first   int64 // number of pieces[0]
	cost    int64 // of all pieces so far
	over    bool
	awaited *client // whoever started it, until it is attached; nil otherwise
	clients map[*client]struct{}

	in       []byte
	inClosed bool // by a client: there is no more
	inOver   bool // the program takes no more
}

// New makes the streams of a program that has not begun. With awaited its output waits
// until somebody is attached.
func New(info Info, awaited bool) *Program {
	p := &Program{info: info, sizes: make(chan wire.TerminalSize, 1), changed: make(chan struct{}), clients: map[*client]struct{}{}}
	if awaited {
		p.awaited = &client{p: p, wait: true}
		p.clients[p.awaited] = struct{}{}
	}
	return p
}

// change wakes everybody who waits. p.mu is held.
func (p *Program) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// until waits until is reports true, with p.mu held then, or ctx ends.
func (p *Program) until(ctx context.Context, is func() bool) error {
	for {
		p.mu.Lock()
		if is() {
			return nil
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Output takes a piece from the program. It waits for clients that output waits for, until
// ctx ends; it keeps data.
func (p *Program) Output(ctx context.Context, stream string, data []byte) {
	if p.until(ctx, func() bool { return p.lag() < Backlog }) != nil {
		return
	}
	defer p.mu.Unlock()
	p.pieces = append(p.pieces, kept{Piece{Stream: stream, Data: data}, p.cost})
	p.cost += int64(len(data)) + pieceCost
	p.trim()
	p.change()
}

// lag is by how much the slowest client is behind that output waits for.
func (p *Program) lag() int64 {
	most := int64(0)
	for c := range p.clients {
		if at := c.next - p.first; c.wait && at < int64(len(p.pieces)) {
			most = max(most, p.cost-p.pieces[at].at)
		}
	}
	return most
}

// trim drops the oldest output beyond the backlog, but for what somebody is waited for to
// read: that is at most the backlog and one piece.
func (p *Program) trim() {
	drop, last := 0, len(p.pieces)-1
	for c := range p.clients {
		if c.wait {
			last = min(last, int(c.next-p.first))
		}
	}
	for drop < last && p.cost-p.pieces[drop].at > Backlog {
		p.pieces[drop] = kept{}
		drop++
	}
	p.pieces, p.first = p.pieces[drop:], p.first+int64(drop)
}

// Awaited waits until whoever started it was attached: what is attached later has nothing
// to be attached to.
func (p *Program) Awaited(ctx context.Context) {
	if p.until(ctx, func() bool { return p.awaited == nil }) == nil {
		p.mu.Unlock()
	}
}

// AwaitNobody lets a program go on that awaits whoever started it. It may be nil.
func (p *Program) AwaitNobody() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.awaited != nil {
		delete(p.clients, p.awaited)
		p.awaited = nil
		p.trim()
		p.change()
	}
}

// Close says that the program is over. Whoever is attached gets the rest of its output.
func (p *Program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over, p.inOver, p.in = true, true, nil
	p.change()
}

// DropInput drops the input that the program did not take yet.
func (p *Program) DropInput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in = nil
	p.change()
}

// Resize says the size of the terminal. Without one it does nothing.
func (p *Program) Resize(s wire.TerminalSize) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if !p.info.Terminal {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.sizes: // an older one
	default:
	}
	p.sizes <- s
	return nil
}

// Sizes brings the size of the terminal whenever a client says it.
func (p *Program) Sizes() <-chan wire.TerminalSize { return p.sizes }

// Input is what clients write, nil where the program takes none. Closing it ends their
// writes, until it is asked for again: for another program, where the first could not start.
func (p *Program) Input() io.ReadCloser {
	if !p.info.Input {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inOver = p.over
	return (*input)(p)
}

// input is the reading end of a program's input.
type input Program

// Read implements io.Reader.
func (in *input) Read(b []byte) (int, error) {
	p := (*Program)(in)
	_ = p.until(context.Background(), func() bool { return len(p.in) > 0 || p.inClosed || p.inOver })
	defer p.mu.Unlock()
	if p.inOver {
		return 0, os.ErrClosed
	}
	n := copy(b, p.in)
	p.in = append(p.in[:0], p.in[n:]...)
	if n == 0 {
		return 0, io.EOF
	}
	p.change()
	return n, nil
}

// Close implements io.Closer.
func (in *input) Close() error {
	p := (*Program)(in)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inOver, p.in = true, nil
	p.change()
	return nil
}

// client is a [Conn] in this process.
type client struct {
	p    *Program
	wait bool
	next int64 // piece to read
}

// Attach attaches a client. With wait output waits for it. It is whoever started the program
// when it reads, and not before: a request that turns out to be no WebSocket takes no place.
func (p *Program) Attach(wait bool) Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &client{p: p, wait: wait, next: p.first}
	p.clients[c] = struct{}{}
	return c
}

// Info implements Conn.
func (c *client) Info() Info { return c.p.info }

// Read implements Conn.
func (c *client) Read(ctx context.Context) (Piece, error) {
	p := c.p
	if c.wait {
		p.AwaitNobody()
	}
	if err := p.until(ctx, func() bool { return c.next < p.first+int64(len(p.pieces)) || p.over }); err != nil {
		return Piece{}, err
	}
	defer p.mu.Unlock()
	switch at := c.next - p.first; {
	case at < 0:
		return Piece{}, ErrBehind
	case at == int64(len(p.pieces)):
		return Piece{}, io.EOF
	default:
		c.next++
		piece := p.pieces[at].Piece
		if c.wait {
			p.trim()
			p.change()
		}
		return piece, nil
	}
}

// Write implements Conn. What a program does not take any more is dropped. Close ends it.
func (c *client) Write(ctx context.Context, data []byte) error {
	p := c.p
	if !p.info.Input {
		return ErrNoInput
	}
	for len(data) > 0 {
		gone := false
		if err := p.until(ctx, func() bool {
			_, here := p.clients[c]
			gone = !here
			return gone || len(p.in) < Room || p.inClosed || p.inOver
		}); err != nil {
			return err
		}
		if gone || p.inClosed || p.inOver {
			p.mu.Unlock()
			if gone {
				return ErrNoInput
			}
			return nil
		}
		n := min(len(data), Room-len(p.in))
		p.in, data = append(p.in, data[:n]...), data[n:]
		p.change()
		p.mu.Unlock()
	}
	return nil
}

// CloseInput implements Conn.
func (c *client) CloseInput(context.Context) error {
	p := c.p
	if !p.info.Input {
		return ErrNoInput
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, here := p.clients[c]; !here {
		return ErrNoInput
	}
	p.inClosed = true
	p.change()
	return nil
}

// Resize implements Conn.
func (c *client) Resize(_ context.Context, s wire.TerminalSize) error { return c.p.Resize(s) }

// Close implements Conn.
func (c *client) Close() error {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	delete(c.p.clients, c)
	c.p.trim()
	c.p.change()
	return nil
}
