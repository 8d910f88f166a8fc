//go:build linux

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/creachadair/jrpc2"

	"piwork/pack/guest/execution"
	"piwork/vmhost/wire"
)

// methods is the table of everything the host may call.
func (a *Agent) methods() map[string]jrpc2.Handler {
	return map[string]jrpc2.Handler{
		wire.MethodHello:    method(a, always, a.hello),
		wire.MethodEcho:     method(a, always, a.echo),
		wire.MethodWarm:     method(a, based, a.warm),
		wire.MethodPrepare:  method(a, based, a.prepare),
		wire.MethodClock:    method(a, rooted, a.clock),
		wire.MethodShutdown: method(a, always, a.shutdown),

		wire.MethodMount:   method(a, waiting, a.mount),
		wire.MethodUnmount: method(a, waiting, a.unmount),

		wire.MethodGateway: method(a, waiting, a.gateway),
		wire.MethodNetwork: method(a, waiting, a.network),
		wire.MethodCache:   method(a, waiting, a.cache),
		wire.MethodOwner:   method(a, rooted, a.owner),

		wire.MethodSessionCreate: method(a, rooted, a.sessionCreate),
		wire.MethodSessionList:   method(a, rooted, a.sessionList),
		wire.MethodSessionClose:  method(a, waiting, a.sessionClose),

		wire.MethodExecRun:    method(a, waiting, a.cfg.Exec.Run),
		wire.MethodExecStart:  method(a, waiting, a.execStart),
		wire.MethodExecWrite:  method(a, waiting, a.execWrite),
		wire.MethodExecSignal: method(a, rooted, a.execSignal),
		wire.MethodExecResize: method(a, rooted, a.execResize),
		wire.MethodExecWait:   method(a, waiting, a.execWait),
		wire.NotifyExecTaken:  method(a, rooted, a.execTaken),

		wire.MethodToolRun: method(a, waiting, a.cfg.Tools.Run),
		wire.MethodCancel:  method(a, rooted, a.cancel),
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

// warm is for a guest that belongs to nobody yet.
func (a *Agent) warm(ctx context.Context, p wire.WarmParams) (wire.WarmResult, error) {
	a.preparing.Lock()
	defer a.preparing.Unlock()
	if a.prepared.Load() {
		return wire.WarmResult{}, coded(wire.CodeInvalid, errors.New("this guest is a task's already"))
	}
	r, err := a.cfg.System.Warm(ctx, p)
	rehearse()
	return r, err
}

// rehearse reads and writes once what guest.prepare will, since encoding/json
// looks at each type when it first meets it.
func rehearse() {
	p := wire.PrepareParams{UnixNano: 1, Entropy: []byte{1}, Layers: []wire.Layer{{}}, Mount: &wire.MountParams{}}
	b, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err == nil {
		_, _ = json.Marshal(wire.Empty{})
	}
}

// prepare mounts last: without its folders the guest is prepared all the same,
// and guest.mount can be asked for them.
func (a *Agent) prepare(ctx context.Context, p wire.PrepareParams) (wire.Empty, error) {
	a.preparing.Lock()
	defer a.preparing.Unlock()
	if err := a.cfg.System.Prepare(ctx, p); err != nil {
		return wire.Empty{}, err
	}
	a.prepared.Store(true)
	if p.Mount == nil {
		return wire.Empty{}, nil
	}
	return a.mount(ctx, *p.Mount)
}

func (a *Agent) clock(_ context.Context, p wire.ClockParams) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.System.SetClock(p)
}

// shutdown answers before the end: the machine goes off when the answer had
// time to leave, or the host closed the port.
func (a *Agent) shutdown(ctx context.Context, _ wire.Empty) (wire.Empty, error) {
	go a.cfg.System.Shutdown(context.WithoutCancel(ctx))
	return wire.Empty{}, nil
}

func (a *Agent) mount(ctx context.Context, p wire.MountParams) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Shares.Mount(ctx, p)
}

func (a *Agent) unmount(ctx context.Context, p wire.MountParams) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Shares.Unmount(ctx, p.Path)
}

func (a *Agent) gateway(ctx context.Context, _ wire.Empty) (wire.Empty, error) {
	return wire.Empty{}, coded(wire.CodeLink, a.cfg.Links.Gateway(ctx))
}

func (a *Agent) network(ctx context.Context, p wire.NetworkParams) (wire.Empty, error) {
	return wire.Empty{}, coded(wire.CodeLink, a.cfg.Links.Network(ctx, p))
}

func (a *Agent) cache(ctx context.Context, p wire.CacheParams) (wire.Empty, error) {
	return wire.Empty{}, coded(wire.CodeLink, a.cfg.Links.Cache(ctx, p))
}

func (a *Agent) sessionCreate(_ context.Context, s wire.Session) (wire.Session, error) {
	return a.cfg.Exec.CreateSession(s)
}

func (a *Agent) sessionList(context.Context, wire.Empty) (wire.SessionList, error) {
	return a.cfg.Exec.Sessions(), nil
}

func (a *Agent) sessionClose(ctx context.Context, r wire.SessionRef) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Exec.CloseSession(ctx, r.ID)
}

func (a *Agent) execStart(ctx context.Context, p wire.ExecParams) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Exec.Start(ctx, p)
}

func (a *Agent) execWrite(ctx context.Context, w wire.ExecWrite) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Exec.Write(ctx, w)
}

func (a *Agent) execSignal(_ context.Context, s wire.ExecSignal) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Exec.Signal(s)
}

func (a *Agent) execResize(_ context.Context, r wire.ExecResize) (wire.Empty, error) {
	return wire.Empty{}, a.cfg.Exec.Resize(r)
}

func (a *Agent) execTaken(_ context.Context, t wire.ExecTaken) (wire.Empty, error) {
	a.cfg.Exec.Taken(t)
	return wire.Empty{}, nil
}

func (a *Agent) execWait(ctx context.Context, r wire.ExecRef) (wire.ExecResult, error) {
	return a.cfg.Exec.Wait(ctx, r.ID)
}

// cancel ends whatever has the id. Ids of executions and of tool runs are one
// space of names.
func (a *Agent) cancel(_ context.Context, r wire.ExecRef) (wire.Empty, error) {
	err := a.cfg.Exec.Cancel(r.ID)
	if errors.Is(err, execution.ErrNotFound) {
		err = a.cfg.Tools.Cancel(r.ID)
	}
	return wire.Empty{}, err
}
