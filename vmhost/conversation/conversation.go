package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost"
	"piwork/vmhost/clock"
	"piwork/vmhost/sanitize"
	"piwork/vmhost/wire"
)

const (
	maxLogLines = 200     // of the agent's own log that are kept per minute
	maxLog      = 4 << 20 // bytes of it that are kept at all
	maxAnswer   = 4 << 10 // bytes of an error's text
)

// Conversation is the host's end of the protocol with one agent.
type Conversation struct {
	client *jrpc2.Client
	filter *filter
	log    *slog.Logger
	clock  *clock.Clock
	write  time.Duration // for one message
	over   chan struct{} // closed when it ended; then err says why
	err    error

	mu      sync.Mutex
	outputs map[string]*output // by the id of what runs
	minute  time.Time          // of the log
	inMin   int
	logged  int // bytes
	dropped int
}

// Begin begins a conversation on conn and owns that. clk is the agent's: by it, the agent
// has the time write to take one message.
func Begin(conn net.Conn, clk *clock.Clock, write time.Duration, log *slog.Logger) *Conversation {
	c := &Conversation{log: log, clock: clk, write: write, over: make(chan struct{}), outputs: make(map[string]*output)}
	c.filter = newFilter(conn, clk, write, c.output, c.heard)
	c.client = jrpc2.NewClient(c.filter, &jrpc2.ClientOptions{
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "the host has no method %.64q", r.Method())
		},
		OnStop: func(_ *jrpc2.Client, err error) {
			c.err = err
			close(c.over)
		},
	})
	return c
}

// Call asks the guest and waits for the answer. An error of the guest's is a
// *jrpc2.Error; after the end of the conversation the error is ErrOver.
func (c *Conversation) Call(ctx context.Context, method string, params, result any) error {
	if result == nil {
		result = &wire.Empty{}
	}
	err := c.client.CallResult(ctx, method, params, result)
	var guest *jrpc2.Error
	var broken net.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case c.client.IsStopped(), errors.As(err, &broken), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe): // then the error is this side's
		return fmt.Errorf("%s: %w", method, ErrOver)
	case errors.As(err, &guest):
		if len(guest.Message) > maxAnswer {
			guest.Message = guest.Message[:maxAnswer]
		}
		return guest
	case isJSONError(err):
		return fmt.Errorf("%s: %w", method, &ProtocolError{err})
	}
	return fmt.Errorf("%s: %w", method, err)
}

// tell sends the guest a notification, which it may miss when the conversation ends.
func (c *Conversation) tell(method string, params any) {
	if err := c.client.Notify(context.Background(), method, params); err != nil && !c.client.IsStopped() {
		c.log.Warn("the guest could not be told", "method", method, "err", err)
	}
}

// ErrOver is the error of a call after the end of a conversation; End says why it ended.
var ErrOver = errors.New("the conversation with the guest is over")

func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// Over is closed when the conversation has ended.
func (c *Conversation) Over() <-chan struct{} { return c.over }

// End says why the conversation ended; it waits for that. With ReasonProtocol the guest is to
// blame; otherwise whatever the agent is in may know a better reason.
func (c *Conversation) End() (vmhost.Reason, error) {
	<-c.over
	var protocol *ProtocolError
	switch {
	case errors.As(c.err, &protocol):
		return vmhost.ReasonProtocol, c.err
	case c.filter.deaf.Load():
		return vmhost.ReasonHung, fmt.Errorf("the agent did not take a message in %v", c.write)
	case c.err == nil || errors.Is(c.err, io.EOF):
		return vmhost.ReasonClosed, errors.New("the agent's port was closed")
	}
	return vmhost.ReasonClosed, fmt.Errorf("the agent's port: %w", c.err)
}

// Signs returns a number that changes when the guest says something, and all the time
// while a receiver on this side holds it up.
func (c *Conversation) Signs() int64 { return c.filter.signs() }

// Watch asks a silent agent every ping whether it is there, until ctx or the conversation
// ends. The error, with its reason, is that of an agent that said nothing for hung.
func (c *Conversation) Watch(ctx context.Context, ping, hung time.Duration) (vmhost.Reason, error) {
	signs := c.Signs()
	for n := 0; c.clock.Sleep(ctx, ping); n++ {
		if now := c.Signs(); now != signs {
			signs = now
			continue
		}
		asked := signs
		bounded, cancel := c.clock.Timeout(ctx, hung, nil)
		want := strconv.Itoa(n)
		var echo wire.EchoParams
		err := c.Call(bounded, wire.MethodEcho, wire.EchoParams{Data: want}, &echo)
		late := bounded.Err() != nil
		cancel()
		signs = c.Signs()
		switch {
		case ctx.Err() != nil:
			return "", nil
		case late && signs != asked: // busy, and alive
		case late:
			return vmhost.ReasonHung, fmt.Errorf("the agent said nothing in %v", hung)
		case errors.Is(err, ErrOver):
			return "", nil // End says why
		case err == nil && echo.Data != want:
			return vmhost.ReasonProtocol, &ProtocolError{fmt.Errorf("guest.echo of %q: %.64q", want, echo.Data)}
		}
	}
	return "", nil
}

// Close ends the conversation and waits for its goroutines. The connection goes
// first: a message that the guest does not take must not hold it up.
func (c *Conversation) Close() {
	_ = c.filter.Close()
	_ = c.client.Close()
}

// listen sends what is told about id to o, until the function it returns is
// called.
func (c *Conversation) listen(id string, o *output) (stop func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.outputs[id]; taken {
		return nil, fmt.Errorf("the id %q is in use", id)
	}
	c.outputs[id] = o
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.outputs, id)
	}, nil
}

// outputOf is who hears about id, nil when nobody does.
func (c *Conversation) outputOf(id string) *output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outputs[id]
}

// output takes output.
func (c *Conversation) output(o wire.ExecOutput) {
	if to := c.outputOf(o.ID); to != nil {
		c.filter.hold(func() { to.output(o) })
	}
}

// heard takes a notification, in the order of the guest's messages. What is
// told about something that nobody waits for is dropped: it may have been
// under way. Unknown notifications are a newer guest's.
func (c *Conversation) heard(method string, params json.RawMessage) error {
	switch method {
	case wire.NotifyExecOutput:
		var o wire.ExecOutput
		if err := decode(method, params, &o); err != nil {
			return err
		}
		c.output(o)
	case wire.NotifyToolProgress:
		var p wire.ToolProgress
		if err := decode(method, params, &p); err != nil {
			return err
		}
		if to := c.outputOf(p.ID); to != nil {
			to.progress(p)
		}
	case wire.NotifyLog:
		var l wire.LogLine
		if err := decode(method, params, &l); err != nil {
			return err
		}
		c.logLine(l)
	}
	return nil
}

// decode reads and checks the parameters of a notification.
func decode[T interface{ Validate() error }](method string, params json.RawMessage, v *T) error {
	err := json.Unmarshal(params, v)
	if err == nil {
		err = (*v).Validate()
	}
	if err != nil {
		return &ProtocolError{fmt.Errorf("%s: %w", method, err)}
	}
	return nil
}

// logLine keeps the agent's log, as much of it as somebody could read.
func (c *Conversation) logLine(l wire.LogLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const around = 256 // of a line, what this program adds
	if now := time.Now(); now.Sub(c.minute) > time.Minute {
		if c.dropped > 0 && c.logged+around <= maxLog {
			c.logged += around
			c.log.Warn("guest: lines dropped", "lines", c.dropped)
		}
		c.minute, c.inMin, c.dropped = now, 0, 0
	}
	text := sanitize.Text(l.Text)
	size := around + len(text) + len(l.Op) + len(l.Run) + len(l.Request)
	if c.inMin++; c.inMin > maxLogLines || c.logged+size > maxLog {
		c.dropped++
		return
	}
	c.logged += size
	level := slog.LevelDebug
	switch l.Level {
	case "info":
		level = slog.LevelInfo
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	}
	var about []any // a group of its own: it is what the guest says
	for _, a := range []slog.Attr{slog.String("op", l.Op), slog.String("run", l.Run), slog.String("request", l.Request)} {
		if a.Value.String() != "" {
			about = append(about, a)
		}
	}
	c.log.LogAttrs(context.Background(), level, "guest: "+text, slog.Group("guest", about...))
}
