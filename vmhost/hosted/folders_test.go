package hosted

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// brief is the patience for a place that does not end by itself.
var brief = Timing{
	Connect: quick.Connect, Hung: quick.Hung, Ping: quick.Ping, Write: quick.Write, Cancel: quick.Cancel,
	Shutdown: time.Millisecond, Evidence: time.Millisecond,
}

// copies are folders of which a program brings back what changed, one at a time.
type copies struct {
	turn     sync.Mutex
	ended    chan struct{} // closed when End has its turn; nil: End has nothing to do
	fetching chan struct{} // closed when Fetch was called
	abandon  chan struct{} // closed when the test gives up
	err      error         // of Fetch
}

func newCopies() *copies {
	return &copies{fetching: make(chan struct{}), abandon: make(chan struct{})}
}

func (c *copies) Send(context.Context, Run) error  { return nil }
func (c *copies) Begin(context.Context, Run) error { return nil }

func (c *copies) End(ctx context.Context, run Run) error {
	if c.ended == nil {
		return nil
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	close(c.ended)
	return c.bring(ctx, run)
}

func (c *copies) Fetch(ctx context.Context, run Run) error {
	close(c.fetching)
	c.turn.Lock()
	defer c.turn.Unlock()
	c.err = c.bring(ctx, run)
	return c.err
}

// bring runs the program.
func (c *copies) bring(ctx context.Context, run Run) error {
	ran := make(chan error, 1)
	go func() { ran <- run(ctx, []string{"x"}, io.NopCloser(strings.NewReader("")), io.Discard) }()
	select {
	case err := <-ran:
		return err
	case <-c.abandon:
		return errors.New("it takes too long")
	}
}

// closes closes a runtime, until ctx ends, and has to come to its end.
func (c *copies) closes(ctx context.Context, t *testing.T, r *Runtime) {
	t.Helper()
	closed := make(chan error, 1)
	go func() { closed <- r.Close(ctx) }()
	select {
	case err := <-closed:
		if c.err == nil || err == nil {
			t.Errorf("what changed was brought back by nobody, and that is said: %v", err)
		}
	case <-time.After(15 * time.Second):
		close(c.abandon)
		t.Error("Close does not end")
		<-closed
	}
}

// A runtime is closed whatever becomes of its agent while the last changes are brought back.
func TestCloseWithoutAgent(t *testing.T) {
	silent := func(p *fake, _ net.Conn) { <-p.done }
	hasty := brief
	hasty.Ping, hasty.Hung = time.Millisecond, 100*time.Millisecond
	for name, tt := range map[string]struct {
		guest  guest
		timing Timing
		time   time.Duration // of Close
	}{
		"the connection ends": {guest{start: func(_ *fake, c net.Conn) { c.Close() }}, brief, time.Hour},
		"the place ends": {guest{start: func(p *fake, c net.Conn) {
			c.Close()
			p.over(errors.New("evicted"))
		}}, quick, time.Hour},
		"it breaks the protocol":  {guest{start: func(_ *fake, c net.Conn) { io.WriteString(c, "what?\n") }}, brief, time.Hour},
		"it is silent for a time": {guest{start: silent}, quick, 100 * time.Millisecond},
		"it hangs": {guest{start: silent, echo: func(ctx context.Context, _ wire.EchoParams) (wire.EchoParams, error) {
			<-ctx.Done()
			return wire.EchoParams{}, ctx.Err()
		}}, hasty, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCopies()
			r, _ := madeWith(t, tt.guest, tt.timing, func() (Folders, error) { return c, nil })
			if err := r.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), tt.time)
			defer cancel()
			c.closes(ctx, t, r)
		})
	}
}

// An action whose changes are brought back while the runtime is closed holds nothing up.
func TestCloseDuringEnd(t *testing.T) {
	c := newCopies()
	c.ended = make(chan struct{})
	r, _ := madeWith(t, guest{
		run:   func(*fake, net.Conn) (wire.ExecResult, error) { return wire.ExecResult{ID: "x"}, nil },
		start: func(_ *fake, conn net.Conn) { <-c.fetching; conn.Close() },
	}, brief, func() (Folders, error) { return c, nil })
	if err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	executed := make(chan error, 1)
	go func() {
		_, err := r.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{ID: "x", Argv: []string{"x"}}})
		executed <- err
	}()
	<-c.ended
	c.closes(t.Context(), t, r)
	if err := <-executed; err == nil {
		t.Error("an action that nothing was brought back of")
	}
}

// What an action changed and could not be saved is said also where the action failed or was
// cancelled.
func TestUnsavedOfAFailedAction(t *testing.T) {
	unsaved := &vmhost.UnsavedError{Paths: []string{"a"}, Err: errors.New("no")}
	ctx, cancel := context.WithCancelCause(t.Context())
	changed := errors.New("changed my mind")
	r, _ := madeWith(t, guest{run: func(*fake, net.Conn) (wire.ExecResult, error) {
		cancel(changed)
		return wire.ExecResult{ID: "x", Ended: wire.EndedCancelled}, nil
	}}, quick, func() (Folders, error) { return &files{err: map[string]error{"end": unsaved}}, nil })
	if err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{ID: "x", Argv: []string{"x"}}}); !errors.Is(err, changed) || !errors.Is(err, unsaved) {
		t.Errorf("%v", err)
	}
}

// slow are folders from which changes come until nobody wants them any more.
type slow struct {
	files
	began chan struct{}
	late  bool // nobody ended it
}

func (s *slow) End(ctx context.Context, _ Run) error {
	close(s.began)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(15 * time.Second):
		s.late = true
		return nil
	}
}

// An action that is cancelled while its changes are brought back ends in the time that a
// cancel may take, and the place stays.
func TestCancelDuringEnd(t *testing.T) {
	prompt := quick
	prompt.Cancel = 200 * time.Millisecond
	s := &slow{began: make(chan struct{})}
	r, _ := madeWith(t, guest{run: func(*fake, net.Conn) (wire.ExecResult, error) { return wire.ExecResult{ID: "x"}, nil }}, prompt, func() (Folders, error) { return s, nil })
	if err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	changed := errors.New("changed my mind")
	go func() { <-s.began; cancel(changed) }()
	obs, err := r.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{ID: "x", Argv: []string{"x"}}})
	if !errors.Is(err, changed) || obs.Exec == nil || s.late {
		t.Errorf("%+v %v, late %v", obs, err, s.late)
	}
	if s := r.Status(); s.State != vmhost.StateReady {
		t.Errorf("%+v", s)
	}
}
