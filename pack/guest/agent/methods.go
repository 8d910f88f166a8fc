//go:build linux

package agent

import (
	"context"
	"fmt"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

// methods is the table of everything the host may call.
func (a *Agent) methods() map[string]jrpc2.Handler {
	return map[string]jrpc2.Handler{
		wire.MethodHello:    method(a, always, a.hello),
		wire.MethodEcho:     method(a, always, a.echo),
		wire.MethodPrepare:  method(a, rooted, a.prepare),
		wire.MethodShutdown: method(a, always, a.shutdown),
	}
}

func (a *Agent) hello(_ context.Context, p wire.HelloParams) (wire.Hello, error) {
	if p.Version != wire.Version {
		return wire.Hello{}, coded(wire.CodeVersion,
			fmt.Errorf("the host speaks version %d of the protocol, this guest %d", p.Version, wire.Version))
	}
	return a.cfg.Hello(), nil
}

func (a *Agent) echo(_ context.Context, p wire.EchoParams) (wire.EchoParams, error) { return p, nil }

func (a *Agent) prepare(_ context.Context, p wire.PrepareParams) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.System.Prepare(p)
}

// shutdown answers before the end: the machine goes off when the answer had
// time to leave, or the host closed the port.
func (a *Agent) shutdown(ctx context.Context, _ wire.Empty) (wire.Empty, error) {
	go a.cfg.System.Shutdown(context.WithoutCancel(ctx))
	return wire.Empty{}, nil
}
