package interact

import (
	"context"
	"os"
	"time"

	"piwork/app/attach"
	"piwork/app/cli/terminal"
	"piwork/vmhost/wire"
)

// leaveWithin is how long a terminal that takes no output is waited for.
const leaveWithin = time.Second

// Session is a [Run] beside other work of one goroutine, which calls its methods and shows
// what the program writes. A nil one is of no program.
type Session struct {
	stdin bool // is passed on
	conn  attach.Conn
	wrote func(stream string, data []byte)
	stop  context.CancelFunc // nil before it began
	show  chan func()
	end   chan error // has how it ended
	over  chan struct{}
}

// NewSession makes one that has no program yet.
func NewSession(stdin bool) *Session {
	return &Session{stdin: stdin, show: make(chan func()), end: make(chan error, 1), over: make(chan struct{})}
}

// Join gives it its program. wrote shows what that writes.
func (s *Session) Join(c attach.Conn, wrote func(stream string, data []byte)) {
	s.conn, s.wrote = c, wrote
}

// Begun reports whether the local terminal is the program's.
func (s *Session) Begun() bool { return s != nil && s.stop != nil }

// Listens reports whether what is typed is the program's.
func (s *Session) Listens() bool { return s.Begun() && s.stdin }

// Begin makes the local terminal the program's.
func (s *Session) Begin(t *terminal.Terminal) {
	l := Local{}
	if s.stdin {
		l.Stdin = t.Stdin
		if in, ok := t.Stdin.(*os.File); ok && t.IsTerminal(in) {
			l.Terminal = in
		}
	}
	if out, ok := t.Stdout.(*os.File); ok && t.IsTerminal(out) {
		l.Screen = out
	}
	s.start(l)
}

func (s *Session) start(l Local) {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	show := func(stream string) func([]byte) error {
		return func(data []byte) error {
			shown := make(chan struct{})
			do := func() { s.wrote(stream, data); close(shown) }
			select {
			case s.show <- do:
				<-shown
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	l.Stdout, l.Stderr = show(wire.Stdout), show(wire.Stderr)
	go func() {
		defer close(s.over)
		s.end <- Run(ctx, s.conn, l)
	}()
}

// Shows has what is to be called.
func (s *Session) Shows() <-chan func() {
	if s == nil {
		return nil
	}
	return s.show
}

// Ended has once how Run ended.
func (s *Session) Ended() <-chan error {
	if s == nil {
		return nil
	}
	return s.end
}

// Rest shows what a program wrote that is over, and returns how Run ended unless Ended
// said that.
func (s *Session) Rest(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if s.stop == nil {
		s.start(Local{})
	}
	for {
		select {
		case show := <-s.show:
			show()
		case <-s.over:
			select {
			case err := <-s.end:
				return err
			default:
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Leave gives the terminal back.
func (s *Session) Leave() {
	if s == nil || s.conn == nil {
		return
	}
	if s.stop != nil {
		s.stop()
		select {
		case <-s.over:
		case <-time.After(leaveWithin):
		}
	}
	_ = s.conn.Close() // nobody waits for it
}
