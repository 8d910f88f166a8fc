package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/pack/guest/execution"
	"piwork/pack/guest/guestvm"
	"piwork/pack/guest/operate"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// TestMain lets the test binary play the other parts of the guest's program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "launch":
			os.Exit(execution.Launch())
		case "operate":
			os.Exit(operate.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case "tell":
			os.Exit(tell(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

// machine is a fake of the machine below the agent.
type machine struct {
	mu       sync.Mutex
	prepared []wire.PrepareParams
	warmed   []wire.WarmParams
	clocks   []int64
	off      chan struct{}
}

func (m *machine) Prepare(_ context.Context, p wire.PrepareParams) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prepared = append(m.prepared, p)
	if p.Hostname == "panic" {
		panic("a mistake")
	}
	return nil
}

func (m *machine) Warm(_ context.Context, p wire.WarmParams) (wire.WarmResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.warmed = append(m.warmed, p)
	return wire.WarmResult{MarksMS: map[string]uint64{"root": 1}}, nil
}

func (m *machine) SetClock(p wire.ClockParams) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clocks = append(m.clocks, p.UnixNano)
	return nil
}

func (m *machine) Shutdown(context.Context) error { close(m.off); return nil }

// noLinks is a machine with nothing outside of it.
type noLinks struct{}

func (noLinks) Gateway(context.Context) error { return errors.New("no port") }
func (noLinks) Cache(context.Context, wire.CacheParams) error {
	return errors.New("no such disk")
}

func (noLinks) Network(context.Context, wire.NetworkParams) error {
	return errors.New("no card")
}

// noShares is a machine without a device for shares.
type noShares struct{}

func (noShares) Mount(context.Context, wire.MountParams) error {
	return coded(wire.CodeMount, errors.New("no port"))
}
func (noShares) Unmount(context.Context, string) error {
	return coded(wire.CodeNotFound, errors.New("no mount"))
}

// rig is an agent with real executions and its host.
type rig struct {
	t       *testing.T
	agent   *Agent
	machine *machine
	ready   chan struct{}
	rootErr error
	work    string

	mu       sync.Mutex
	output   bytes.Buffer
	progress []wire.ToolProgress
	lines    []string // of the log
}

func (r *rig) log(l wire.LogLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := l.Level + " tool " + l.Op + " run " + l.Run
	if l.Request != "" {
		line += " request " + l.Request
	}
	r.lines = append(r.lines, line+": "+l.Text)
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, machine: &machine{off: make(chan struct{})}, ready: make(chan struct{}), work: t.TempDir()}
	report := func(err error) { t.Errorf("cleaning up: %v", err) }
	starter := &execution.Starter{
		Launcher: []string{"/proc/self/exe", "launch"}, Children: &execution.Children{}, UID: -1, GID: -1,
		Grace: 300 * time.Millisecond, Report: report,
	}
	env := func() []string { return []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"} }
	engine := execution.NewEngine(execution.Config{
		Starter: starter, Env: env, Cwd: r.work,
		Notify: func(ctx context.Context, o wire.ExecOutput) error {
			return r.agent.NotifyOutput(ctx, o)
		},
	})
	scratch := filepath.Join(r.work, "scratch")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	r.agent = New(Config{
		Hello: func() wire.Hello { return wire.Hello{Version: wire.Version, Agent: "test"} },
		Ready: r.ready, RootError: func() error { return r.rootErr },
		System: r.machine, Exec: engine, Shares: noShares{}, Links: noLinks{},
		Tools: &Tools{
			Starter: starter, Operate: []string{"/proc/self/exe", "operate"},
			Scratch: scratch, Env: env, Report: report, Log: r.log,
			Versions: func() map[string]string { return map[string]string{tools.ToolQPDF: "12", "other": "1"} },
			Notify:   func(ctx context.Context, m string, p any) error { return r.agent.Notify(ctx, m, p) },
		},
	})
	r.agent.prepared.Store(true)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		engine.Close(ctx)
		left, _ := os.ReadDir(scratch)
		for ; len(left) != 0 && ctx.Err() == nil; left, _ = os.ReadDir(scratch) { // it is removed after the answer
			time.Sleep(scratchPause)
		}
		if len(left) != 0 {
			t.Errorf("scratch is left: %v", left)
		}
	})
	return r
}

// connect begins a conversation; end ends it as a host that goes away.
func (r *rig) connect() (c *jrpc2.Client, end func()) {
	host, guest := net.Pipe()
	over := make(chan error, 1)
	go func() {
		over <- r.agent.Converse(context.Background(), wire.Accept(bufio.NewReader(guest), guest, guest))
	}()
	c = jrpc2.NewClient(guestvm.InOrder{Channel: wire.Channel(host, host), Notify: r.notify}, nil)
	var once sync.Once
	end = func() {
		once.Do(func() {
			c.Close()
			guest.Close()
			select {
			case <-over:
			case <-time.After(20 * time.Second):
				r.t.Error("the conversation does not end")
			}
		})
	}
	r.t.Cleanup(end)
	return c, end
}

func (r *rig) notify(method string, params json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch method {
	case wire.NotifyExecOutput:
		var o wire.ExecOutput
		if err := json.Unmarshal(params, &o); err != nil || o.Validate() != nil {
			r.t.Errorf("%v %v", err, o.Validate())
		}
		r.output.Write(o.Data)
	case wire.NotifyToolProgress:
		var p wire.ToolProgress
		if err := json.Unmarshal(params, &p); err != nil || p.Validate() != nil {
			r.t.Errorf("%v %v", err, p.Validate())
		}
		r.progress = append(r.progress, p)
	}
}

func call[R any](t *testing.T, c *jrpc2.Client, method string, params any) (R, error) {
	var out R
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err := c.CallResult(ctx, method, params, &out)
	return out, err
}

func must[R any](t *testing.T, c *jrpc2.Client, method string, params any) R {
	t.Helper()
	r, err := call[R](t, c, method, params)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return r
}

func wantCode(t *testing.T, err error, code jrpc2.Code) {
	t.Helper()
	var e *jrpc2.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("error = %v, want code %d", err, code)
		return
	}
	if code >= wire.CodeVersion {
		var data wire.ErrorData
		if json.Unmarshal(e.Data, &data) != nil || data.Retryable != (code == wire.CodeBusy) {
			t.Errorf("data of the error: %s", e.Data)
		}
	}
}

var prepareParams = wire.PrepareParams{UnixNano: 1, Entropy: make([]byte, 64)}

func TestHelloBeforeTheRoot(t *testing.T) {
	r := newRig(t)
	c, _ := r.connect()
	if h := must[wire.Hello](t, c, wire.MethodHello, wire.HelloParams{Version: wire.Version}); h.Agent != "test" {
		t.Errorf("%+v", h)
	}
	_, err := call[wire.Hello](t, c, wire.MethodHello, wire.HelloParams{Version: wire.Version + 1})
	wantCode(t, err, wire.CodeVersion)
	if e := must[wire.EchoParams](t, c, wire.MethodEcho, wire.EchoParams{Data: "ü\n"}); e.Data != "ü\n" {
		t.Errorf("%+v", e)
	}
	// The rest waits for the root.
	done := make(chan error, 1)
	go func() {
		_, err := call[wire.Empty](t, c, wire.MethodPrepare, prepareParams)
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("prepared without a root: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(r.ready)
	if err := <-done; err != nil || len(r.machine.prepared) != 1 {
		t.Errorf("%v, %d", err, len(r.machine.prepared))
	}
}

// Nothing runs in the root of a guest that is nobody's yet.
func TestUnprepared(t *testing.T) {
	r := newRig(t)
	r.agent.prepared.Store(false)
	close(r.ready)
	c, _ := r.connect()
	refused := func() {
		t.Helper()
		for method, params := range map[string]any{
			wire.MethodExecRun:     wire.ExecParams{ID: "x", Argv: []string{"true"}},
			wire.MethodToolRun:     wire.ToolParams{ID: "x", Op: "image.info", In: []string{"/x"}},
			wire.MethodSessionList: nil,
			wire.MethodMount:       wire.MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders"},
		} {
			_, err := call[wire.Empty](t, c, method, params)
			wantCode(t, err, wire.CodeUnprepared)
		}
	}
	refused()
	_, err := call[wire.Empty](t, c, wire.MethodPrepare, wire.PrepareParams{UnixNano: 1, Entropy: make([]byte, 64), Hostname: "panic"})
	wantCode(t, err, wire.CodeGuestFault)
	refused() // it failed
	must[wire.Empty](t, c, wire.MethodPrepare, prepareParams)
	must[wire.SessionList](t, c, wire.MethodSessionList, nil)
}

// A guest is warmed while it is nobody's, as often as asked.
func TestWarm(t *testing.T) {
	r := newRig(t)
	r.agent.prepared.Store(false)
	close(r.ready)
	c, _ := r.connect()
	warm := wire.WarmParams{Hostname: "room", Locale: "C.UTF-8", TimeZone: "Europe/Berlin"}
	for range 2 {
		if got := must[wire.WarmResult](t, c, wire.MethodWarm, warm); got.MarksMS["root"] != 1 {
			t.Errorf("%+v", got)
		}
	}
	_, err := call[wire.WarmResult](t, c, wire.MethodWarm, wire.WarmParams{Hostname: "a.b"})
	wantCode(t, err, wire.CodeInvalid)
	_, err = call[wire.Empty](t, c, wire.MethodExecRun, wire.ExecParams{ID: "x", Argv: []string{"true"}})
	wantCode(t, err, wire.CodeUnprepared)
	_, err = call[wire.Empty](t, c, wire.MethodClock, wire.ClockParams{UnixNano: 1})
	wantCode(t, err, wire.CodeUnprepared)
	must[wire.Empty](t, c, wire.MethodPrepare, prepareParams)
	_, err = call[wire.WarmResult](t, c, wire.MethodWarm, warm)
	wantCode(t, err, wire.CodeInvalid)
	must[wire.Empty](t, c, wire.MethodClock, wire.ClockParams{UnixNano: 77})
	if len(r.machine.warmed) != 2 || r.machine.warmed[0] != warm || len(r.machine.clocks) != 1 || r.machine.clocks[0] != 77 {
		t.Errorf("%+v %v", r.machine.warmed, r.machine.clocks)
	}
}

// A guest without its folders is prepared all the same.
func TestPrepareMount(t *testing.T) {
	r := newRig(t)
	r.agent.prepared.Store(false)
	close(r.ready)
	c, _ := r.connect()
	p := prepareParams
	p.Mount = &wire.MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders"}
	_, err := call[wire.Empty](t, c, wire.MethodPrepare, p)
	wantCode(t, err, wire.CodeMount)
	must[wire.SessionList](t, c, wire.MethodSessionList, nil)
	p.Mount = &wire.MountParams{Kind: "virtio9p", Export: "folders", Path: "/etc"}
	_, err = call[wire.Empty](t, c, wire.MethodPrepare, p)
	wantCode(t, err, wire.CodeInvalid)
}

func TestNoRoot(t *testing.T) {
	r := newRig(t)
	r.rootErr = errors.New("no disk")
	close(r.ready)
	c, _ := r.connect()
	for method, params := range map[string]any{
		wire.MethodPrepare: prepareParams, wire.MethodExecRun: wire.ExecParams{ID: "x", Argv: []string{"true"}},
		wire.MethodToolRun: wire.ToolParams{ID: "x", Op: "image.info", In: []string{"/x"}}, wire.MethodSessionList: nil,
	} {
		_, err := call[wire.Empty](t, c, method, params)
		wantCode(t, err, wire.CodeGuestFault)
	}
	must[wire.Hello](t, c, wire.MethodHello, wire.HelloParams{Version: wire.Version})
}

func TestErrors(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	for _, tt := range []struct {
		method string
		params any
		code   jrpc2.Code
	}{
		{"guest.unknown", nil, jrpc2.MethodNotFound},
		{wire.MethodPrepare, wire.PrepareParams{}, wire.CodeInvalid},
		{wire.MethodPrepare, wire.PrepareParams{UnixNano: 1, Entropy: make([]byte, 64), Hostname: "panic"}, wire.CodeGuestFault},
		{wire.MethodExecRun, []int{1}, jrpc2.InvalidParams},
		{wire.MethodExecRun, wire.ExecParams{ID: "x"}, wire.CodeInvalid},
		{wire.MethodExecRun, wire.ExecParams{ID: "x", Argv: []string{"no-such-program"}}, wire.CodeStart},
		{wire.MethodExecRun, wire.ExecParams{ID: "x", Session: "none", Argv: []string{"true"}}, wire.CodeNotFound},
		{wire.MethodExecWait, wire.ExecRef{ID: "none"}, wire.CodeNotFound},
		{wire.MethodExecWrite, wire.ExecWrite{ID: "none"}, wire.CodeNotFound},
		{wire.MethodExecSignal, wire.ExecSignal{ID: "none", Signal: 9}, wire.CodeNotFound},
		{wire.MethodExecResize, wire.ExecResize{ID: "none", TerminalSize: wire.TerminalSize{Columns: 80, Rows: 24}}, wire.CodeNotFound},
		{wire.MethodExecResize, wire.ExecResize{ID: "none"}, wire.CodeInvalid},
		{wire.MethodSessionClose, wire.SessionRef{ID: "none"}, wire.CodeNotFound},
		{wire.MethodCancel, wire.ExecRef{ID: "none"}, wire.CodeNotFound},
		{wire.MethodToolRun, wire.ToolParams{ID: "x", Op: "no.such", In: []string{"/x"}}, wire.CodeUnknownOp},
		{wire.MethodToolRun, wire.ToolParams{ID: "x", Op: "image.info", In: []string{"/x"}, Params: map[string]any{"y": 1}}, wire.CodeInvalid},
		{wire.MethodMount, wire.MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders"}, wire.CodeMount},
		{wire.MethodMount, wire.MountParams{Kind: "virtio9p", Export: "folders", Path: "/etc"}, wire.CodeInvalid},
		{wire.MethodUnmount, wire.MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders"}, wire.CodeNotFound},
		{wire.MethodGateway, wire.Empty{}, wire.CodeLink},
		{wire.MethodNetwork, wire.NetworkParams{MAC: "02:00:00:00:00:01", Address: "10.0.2.15/24", Gateway: "10.0.2.2", DNS: "10.0.2.3", MTU: 1500}, wire.CodeLink},
		{wire.MethodNetwork, wire.NetworkParams{MAC: "02:00:00:00:00:01"}, wire.CodeInvalid},
		{wire.MethodCache, wire.CacheParams{Disk: "cache", LimitMB: 1024}, wire.CodeLink},
		{wire.MethodCache, wire.CacheParams{Disk: "../cache", LimitMB: 1024}, wire.CodeInvalid},
		{wire.MethodCache, wire.CacheParams{Disk: "cache"}, wire.CodeInvalid},
	} {
		_, err := call[wire.Empty](t, c, tt.method, tt.params)
		wantCode(t, err, tt.code)
	}
	must[wire.Empty](t, c, wire.MethodShutdown, nil)
	<-r.machine.off
}

func TestExecOverTheWire(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	must[wire.Session](t, c, wire.MethodSessionCreate, wire.Session{ID: "s", Env: map[string]string{"A": "b"}})
	res := must[wire.ExecResult](t, c, wire.MethodExecRun, wire.ExecParams{ID: "1", Session: "s", Argv: []string{"sh", "-c", "echo $A; pwd; head -c 600000 /dev/zero"}})
	if !strings.HasPrefix(string(res.Stdout), "b\n"+r.work+"\n") || len(res.Stdout) < 600_000 || res.Validate() != nil {
		t.Errorf("%.100q %v", res.Stdout, res.Validate())
	}
	must[wire.Empty](t, c, wire.MethodExecStart, wire.ExecParams{ID: "2", Argv: []string{"sh", "-c", "head -c 500000 /dev/zero; cat"}, KeepIn: true})
	_, err := call[wire.Empty](t, c, wire.MethodExecStart, wire.ExecParams{ID: "2", Argv: []string{"true"}})
	wantCode(t, err, wire.CodeExists)
	must[wire.Empty](t, c, wire.MethodExecWrite, wire.ExecWrite{ID: "2", Data: []byte("input"), Close: true})
	must[wire.ExecResult](t, c, wire.MethodExecWait, wire.ExecRef{ID: "2"})
	r.mu.Lock()
	n, tail := r.output.Len(), r.output.Bytes()[r.output.Len()-5:]
	r.mu.Unlock()
	if n != 500_005 || string(tail) != "input" {
		t.Errorf("%d bytes, ends %q", n, tail)
	}
	// A cancel is heard while many calls wait.
	must[wire.Empty](t, c, wire.MethodExecStart, wire.ExecParams{ID: "3", Argv: []string{"sleep", "600"}})
	var group sync.WaitGroup
	busy := make(chan error, maxLong+20)
	for range maxLong + 20 {
		group.Go(func() {
			_, err := call[wire.ExecResult](t, c, wire.MethodExecWait, wire.ExecRef{ID: "3"})
			busy <- err
		})
	}
	first := <-busy // the first beyond the bound
	wantCode(t, first, wire.CodeBusy)
	must[wire.Empty](t, c, wire.MethodCancel, wire.ExecRef{ID: "3"})
	group.Wait()
	must[wire.Empty](t, c, wire.MethodSessionClose, wire.SessionRef{ID: "s"})
}

// A host that goes and comes back finds what it started; output waits for it.
func TestReconnect(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, end := r.connect()
	must[wire.Empty](t, c, wire.MethodExecStart, wire.ExecParams{ID: "x", Argv: []string{"sh", "-c", "read a; echo got $a; exit 5"}, KeepIn: true})
	gone := make(chan error, 1)
	go func() {
		_, err := call[wire.ExecResult](t, c, wire.MethodExecWait, wire.ExecRef{ID: "x"})
		gone <- err
	}()
	end()
	if err := <-gone; err == nil {
		t.Error("an answer without a host")
	}
	c, end = r.connect()
	must[wire.Empty](t, c, wire.MethodExecWrite, wire.ExecWrite{ID: "x", Data: []byte("it\n")})
	end()
	c, _ = r.connect()
	res := must[wire.ExecResult](t, c, wire.MethodExecWait, wire.ExecRef{ID: "x"})
	r.mu.Lock()
	out := r.output.String()
	r.mu.Unlock()
	if res.ExitCode != 5 || out != "got it\n" {
		t.Errorf("%+v, output %q", res, out)
	}
}

// Garbage on the port ends at most the conversation.
func TestGarbage(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	for name, garbage := range map[string]string{
		"not JSON": "hello\n", "half a request": `{"jsonrpc":"2.0","id":1,"meth`, "empty": "\n\n", "wrong type": "[1,2,3]\n", "nested": strings.Repeat("[", 50_000) + "\n",
		"a long line": strings.Repeat("x", wire.MaxLine+10), "bytes": "\x00\xff\xfe\n", "no params": `{"jsonrpc":"2.0","id":7,"method":"exec.run"}` + "\n",
	} {
		host, guest := net.Pipe()
		over := make(chan error, 1)
		go func() {
			over <- r.agent.Converse(context.Background(), wire.Accept(bufio.NewReader(guest), guest, guest))
		}()
		go func() { // whatever is answered
			buf := make([]byte, 4096)
			for {
				if _, err := host.Read(buf); err != nil {
					return
				}
			}
		}()
		if _, err := host.Write([]byte(garbage)); err != nil && !errors.Is(err, net.ErrClosed) && err.Error() != "io: read/write on closed pipe" {
			t.Errorf("%s: %v", name, err)
		}
		host.Close()
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the conversation does not end", name)
		}
	}
	c, _ := r.connect()
	must[wire.Hello](t, c, wire.MethodHello, wire.HelloParams{Version: wire.Version})
}

func TestLogger(t *testing.T) {
	l := NewLogger()
	for i := range 2 * logQueue { // never waits
		l.Log(wire.LogLine{Level: "warn", Text: fmt.Sprintf("%d %s", i, strings.Repeat("x", 2*wire.MaxDetail))})
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	l.Send(ctx, func(_ context.Context, method string, params any) error {
		if line := params.(wire.LogLine); method != wire.NotifyLog || line.Validate() != nil {
			t.Errorf("%s %v", method, line.Validate())
		}
		if n++; n == logQueue {
			cancel()
		}
		return nil
	})
	if n != logQueue {
		t.Errorf("%d lines", n)
	}
}
