//go:build linux

package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

// Converse serves one conversation until ch ends, and returns why it ended;
// nil when the host left. Only one conversation may be under way at a time.
func (a *Agent) Converse(ctx context.Context, ch channel.Channel) error {
	srv := jrpc2.NewServer(handler.Map(a.table), &jrpc2.ServerOptions{
		AllowPush:   true,
		Concurrency: maxCalls,
		NewContext:  func() context.Context { return ctx },
	})
	srv.Start(wellFormed{ch})
	a.setServer(srv)
	err := srv.Wait()
	a.setServer(nil)
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

func (a *Agent) setServer(srv *jrpc2.Server) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.server = srv
	close(a.changed)
	a.changed = make(chan struct{})
}

// current returns the conversation under way and a channel that is closed when
// it changes.
func (a *Agent) current() (*jrpc2.Server, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.server, a.changed
}

// Notify sends a notification to the host. Without a conversation, and when
// the host leaves before it was sent, it waits for the next one until ctx
// ends: nothing is lost and the writer is held meanwhile.
func (a *Agent) Notify(ctx context.Context, method string, params any) error {
	for {
		srv, changed := a.current()
		if srv != nil {
			err := srv.Notify(ctx, method, params)
			if err == nil {
				return nil
			}
			if unsendable(err) {
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
	return errors.Is(err, jrpc2.ErrPushUnsupported) || isTooLong(err)
}
