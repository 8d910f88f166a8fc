package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"piwork/pack/guest/execution"
	"piwork/vmhost/wire"
)

// nothing does what it is asked by doing nothing, and holds that what reaches it
// is within the bounds of the protocol.
type nothing struct{ t *testing.T }

func (n nothing) valid(m interface{ Validate() error }) error {
	if err := m.Validate(); err != nil {
		n.t.Errorf("%T reached the guest: %v", m, err)
	}
	return nil
}

func (n nothing) Warm(_ context.Context, p wire.WarmParams) (wire.WarmResult, error) {
	return wire.WarmResult{}, n.valid(p)
}
func (n nothing) Prepare(_ context.Context, p wire.PrepareParams) error { return n.valid(p) }
func (n nothing) SetClock(p wire.ClockParams) error                     { return n.valid(p) }
func (n nothing) Shutdown(context.Context) error                        { return nil }
func (n nothing) Mount(_ context.Context, p wire.MountParams) error     { return n.valid(p) }

func (n nothing) Unmount(context.Context, string) error              { return nil }
func (n nothing) Start(_ context.Context, p wire.ExecParams) error   { return n.valid(p) }
func (n nothing) Write(_ context.Context, p wire.ExecWrite) error    { return n.valid(p) }
func (n nothing) Signal(p wire.ExecSignal) error                     { return n.valid(p) }
func (n nothing) Resize(p wire.ExecResize) error                     { return n.valid(p) }
func (n nothing) Taken(p wire.ExecTaken)                             { _ = n.valid(p) }
func (n nothing) Unbound()                                           {}
func (n nothing) Cancel(string) error                                { return execution.ErrNotFound }
func (n nothing) Sessions() wire.SessionList                         { return wire.SessionList{} }
func (n nothing) CloseSession(context.Context, string) error         { return nil }
func (n nothing) CreateSession(s wire.Session) (wire.Session, error) { return s, n.valid(s) }

func (n nothing) Run(_ context.Context, p wire.ExecParams) (wire.ExecResult, error) {
	return wire.ExecResult{ID: p.ID}, n.valid(p)
}

func (n nothing) Wait(_ context.Context, id string) (wire.ExecResult, error) {
	return wire.ExecResult{ID: id}, n.valid(wire.ExecRef{ID: id})
}

// noTools is a guest without tools.
type noTools struct{ n nothing }

func (x noTools) Run(_ context.Context, p wire.ToolParams) (wire.ToolResult, error) {
	return wire.ToolResult{ID: p.ID}, x.n.valid(p)
}
func (x noTools) Cancel(string) error { return execution.ErrNotFound }

// FuzzConverse sends bytes to the agent as a host might that is broken or not
// piwork: it answers in lines of the protocol or ends the conversation, and then
// serves the next host.
func FuzzConverse(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"guest.hello","params":{"version":1,"app":"x"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"guest.warm","params":{"hostname":"room"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"guest.prepare","params":{"unixNano":1,"entropy":"` + string(bytes.Repeat([]byte("A"), 88)) + `","mount":{"kind":"virtio9p","export":"folders","path":"/folders"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"guest.clock","params":{"unixNano":-1}}`,
		`{"jsonrpc":"2.0","id":5,"method":"exec.run","params":{"id":"x","argv":["true"],"env":{"A":"b"},"limits":{"wallMs":1}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"exec.write","params":{"id":"x","data":"AA==","close":true}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tool.run","params":{"id":"x","op":"image.info","in":["/x"]}}`,
		`[{"jsonrpc":"2.0","id":8,"method":"session.create","params":{"id":"s"}},{"jsonrpc":"2.0","method":"cancel","params":{"id":"s"}}]`,
		`{"jsonrpc":"2.0","id":9,"method":"rpc.serverInfo"}`, `{"jsonrpc":"2.0","method":"rpc.cancel","params":[1]}`, `{"id":[]}`, `null`, `"`, "\x18", "\x00",
	} {
		f.Add([]byte("\x18\n" + text + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		n, ready := nothing{t}, make(chan struct{})
		close(ready)
		a := New(Config{
			Hello: func() wire.Hello { return wire.Hello{Version: wire.Version} }, Ready: ready, RootError: func() error { return nil },
			System: n, Exec: n, Shares: n, Tools: noTools{n},
		})
		in := bufio.NewReader(bytes.NewReader(data))
		for range 1 + bytes.Count(data, []byte{0x18}) {
			var out bytes.Buffer
			_ = a.Converse(t.Context(), wire.Accept(in, &out, nil)) // the next host is served whatever this one did
			answers := wire.Channel(pipe{&out, nil}, nil)
			for {
				line, err := answers.Recv()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Errorf("it sends what is no message: %v", err)
					}
					break
				}
				if !json.Valid(line) {
					t.Errorf("it sends %q", line)
				}
			}
		}
	})
}

// pipe is a reader and a writer that are not connected.
type pipe struct {
	io.Reader
	io.Writer
}
