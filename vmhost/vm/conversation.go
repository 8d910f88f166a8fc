package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

const (
	maxLogLines = 200     // of the agent's own log that are kept per minute
	maxAnswer   = 4 << 10 // bytes of an error's text
)

// conversation is the host's end of the protocol with one agent.
type conversation struct {
	client *jrpc2.Client
	filter *filter
	log    *slog.Logger
	over   chan struct{} // closed when it ended; then err says why
	err    error

	mu      sync.Mutex
	outputs map[string]*output // by the id of what runs
	minute  time.Time          // of the log
	inMin   int
	dropped int
}

// converse begins a conversation on conn and owns that.
func converse(conn net.Conn, clk *clock, write time.Duration, log *slog.Logger) *conversation {
	c := &conversation{log: log, over: make(chan struct{}), outputs: make(map[string]*output)}
	c.filter = newFilter(conn, clk, write, c.heard)
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

// call asks the guest and waits for the answer. An error of the guest's is a
// *jrpc2.Error.
func (c *conversation) call(ctx context.Context, method string, params, result any) error {
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
	case c.client.IsStopped(), errors.As(err, &broken), errors.Is(err, net.ErrClosed): // then the error is this side's
		return fmt.Errorf("%s: %w", method, errConversationOver)
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

var errConversationOver = errors.New("the conversation with the guest is over")

func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// close ends the conversation and waits for its goroutines. The connection goes
// first: a message that the guest does not take must not hold it up.
func (c *conversation) close() {
	_ = c.filter.Close()
	_ = c.client.Close()
}

// listen sends what is told about id to o, until the function it returns is
// called.
func (c *conversation) listen(id string, o *output) (stop func(), err error) {
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
func (c *conversation) outputOf(id string) *output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outputs[id]
}

// heard takes a notification, in the order of the guest's messages. What is
// told about something that nobody waits for is dropped: it may have been
// under way. Unknown notifications are a newer guest's.
func (c *conversation) heard(method string, params json.RawMessage) error {
	switch method {
	case wire.NotifyExecOutput:
		var o wire.ExecOutput
		if err := decode(method, params, &o); err != nil {
			return err
		}
		if to := c.outputOf(o.ID); to != nil {
			c.filter.hold(func() { to.output(o) })
		}
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
func (c *conversation) logLine(l wire.LogLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.minute) > time.Minute {
		if c.dropped > 0 {
			c.log.Warn("guest: lines dropped", "lines", c.dropped)
		}
		c.minute, c.inMin, c.dropped = now, 0, 0
	}
	if c.inMin++; c.inMin > maxLogLines {
		c.dropped++
		return
	}
	level := slog.LevelDebug
	switch l.Level {
	case "info":
		level = slog.LevelInfo
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	}
	c.log.Log(context.Background(), level, "guest: "+strings.ToValidUTF8(l.Text, "\uFFFD"))
}
