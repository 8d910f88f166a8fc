//go:build linux

package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"piwork/vmhost/wire"
)

// Converse serves one conversation until ch ends, and returns why it ended;
// nil when the host left. Only one conversation may be under way at a time.
func (a *Agent) Converse(ctx context.Context, ch *wire.Lines) error {
	srv := jrpc2.NewServer(handler.Map(a.table), &jrpc2.ServerOptions{
		AllowPush:   true,
		Concurrency: maxCalls,
		NewContext:  func() context.Context { return ctx },
	})
	srv.Start(wellFormed{ch})
	a.setHost(&host{srv, ch})
	err := srv.Wait()
	a.setHost(nil)
	a.cfg.Exec.Unbound()
	return err
}

// wellFormed drops notifications that are none of JSON-RPC's. jrpc2 (v1.3.6)
// would answer them with an error, and where the host leaves meanwhile it does
// so on a channel that is gone, which ends the program: here, the machine.
type wellFormed struct{ channel.Channel }

// Recv implements channel.Channel.
func (w wellFormed) Recv() ([]byte, error) {
	for {
		b, err := w.Channel.Recv()
		if err != nil || !badNotification(b) {
			return b, err
		}
	}
}

func badNotification(msg []byte) bool {
	requests, err := jrpc2.ParseRequests(msg)
	if err != nil {
		return false // answered while it is read
	}
	return slices.ContainsFunc(requests, func(r *jrpc2.ParsedRequest) bool { return r.ID == "" && r.Error != nil })
}

// host is a conversation under way.
type host struct {
	server *jrpc2.Server
	lines  *wire.Lines
}

func (a *Agent) setHost(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.host = h
	close(a.changed)
	a.changed = make(chan struct{})
}

// current returns the conversation under way and a channel that is closed when
// it changes.
func (a *Agent) current() (*host, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.host, a.changed
}

// Notify sends a notification to the host. Without a conversation, and when
// the host leaves before it was sent, it waits for the next one until ctx
// ends: nothing is lost and the writer is held meanwhile.
func (a *Agent) Notify(ctx context.Context, method string, params any) error {
	return a.tell(ctx, func(h *host) error { return h.server.Notify(ctx, method, params) })
}

// NotifyOutput is Notify for output, of which there can be a lot.
func (a *Agent) NotifyOutput(ctx context.Context, o wire.ExecOutput) error {
	return a.tell(ctx, func(h *host) error { return h.lines.SendOutput(o) })
}

func (a *Agent) tell(ctx context.Context, send func(*host) error) error {
	for {
		h, changed := a.current()
		if h != nil {
			err := send(h)
			if err == nil || unsendable(err) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// unsendable reports an error that another conversation would not mend.
func unsendable(err error) bool {
	var invalid *wire.InvalidError
	return errors.Is(err, jrpc2.ErrPushUnsupported) || isTooLong(err) || errors.As(err, &invalid)
}
