package hosted

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// fake is a place in this program.
type fake struct {
	host net.Conn
	done chan struct{}
	exit error
	once sync.Once

	mu   sync.Mutex
	ends int
}

func (p *fake) Conn() net.Conn        { return p.host }
func (p *fake) Done() <-chan struct{} { return p.done }
func (p *fake) Exit() error           { return p.exit }
func (p *fake) Evidence() string      { return "its last words" }

// over has the place end by itself.
func (p *fake) over(err error) { p.once.Do(func() { p.exit = err; close(p.done) }) }

func (p *fake) End() error {
	p.over(errors.New("ended"))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends++
	return nil
}

// guest is an agent that does what a test says.
type guest struct {
	hello   func(context.Context) (wire.Hello, error)
	prepare func(context.Context) (wire.Empty, error)
	echo    func(context.Context, wire.EchoParams) (wire.EchoParams, error)
	run     func(*fake, net.Conn) (wire.ExecResult, error)
	start   func(*fake, net.Conn)
}

func (g guest) serve(p *fake, conn net.Conn) {
	empty := func(context.Context) (wire.Empty, error) { return wire.Empty{}, nil }
	if g.hello == nil {
		g.hello = func(context.Context) (wire.Hello, error) {
			return wire.Hello{Version: wire.Version, Agent: "fake", Capabilities: []string{wire.CanExec}}, nil
		}
	}
	if g.prepare == nil {
		g.prepare = empty
	}
	if g.echo == nil {
		g.echo = func(_ context.Context, e wire.EchoParams) (wire.EchoParams, error) { return e, nil }
	}
	srv := jrpc2.NewServer(handler.Map{
		wire.MethodHello:   handler.New(func(ctx context.Context, _ wire.HelloParams) (wire.Hello, error) { return g.hello(ctx) }),
		wire.MethodPrepare: handler.New(func(ctx context.Context, _ wire.PrepareParams) (wire.Empty, error) { return g.prepare(ctx) }),
		wire.MethodEcho:    handler.New(g.echo),
		wire.MethodShutdown: handler.New(func(context.Context) (wire.Empty, error) {
			defer p.over(nil)
			return wire.Empty{}, nil
		}),
		wire.MethodExecRun: handler.New(func(context.Context, wire.ExecParams) (wire.ExecResult, error) { return g.run(p, conn) }),
		wire.MethodExecStart: handler.New(func(context.Context, wire.ExecParams) (wire.Empty, error) {
			g.start(p, conn)
			return wire.Empty{}, nil
		}),
	}, &jrpc2.ServerOptions{Concurrency: 16})
	srv.Start(wire.Accept(bufio.NewReader(conn), conn, conn))
	_ = srv.Wait()
}

// quick is the patience of the tests.
var quick = Timing{
	Connect: 10 * time.Second, Hung: 10 * time.Second, Ping: 10 * time.Second, Write: 10 * time.Second, Cancel: 10 * time.Second,
	Shutdown: 10 * time.Second, Evidence: 10 * time.Second,
}

// files are folders that do what a test says.
type files struct {
	err  map[string]error // by what is done
	done []string
}

func (f *files) do(what string) error {
	f.done = append(f.done, what)
	return f.err[what]
}

func (f *files) Send(context.Context, Run) error  { return f.do("send") }
func (f *files) Begin(context.Context, Run) error { return f.do("begin") }
func (f *files) End(context.Context, Run) error   { return f.do("end") }
func (f *files) Fetch(context.Context, Run) error { return f.do("fetch") }

// made is a runtime whose place has the agent, and that place.
func made(t *testing.T, g guest, timing Timing) (*Runtime, *fake) {
	t.Helper()
	return madeWith(t, g, timing, nil)
}

func madeWith(t *testing.T, g guest, timing Timing, folders func() (Folders, error)) (*Runtime, *fake) {
	t.Helper()
	there, conn := net.Pipe()
	p := &fake{host: there, done: make(chan struct{})}
	var agent sync.WaitGroup
	r := New(Config{
		Capabilities: vmhost.Capabilities{Name: "fake", Isolation: vmhost.IsolationNone, Domain: vmhost.DomainHost, Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}},
		InitData:     vmhost.InitData{Runtime: "fake", OS: "linux", Cwd: "/", Sandbox: "fake", Network: vmhost.NetworkDeny},
		Open: func(context.Context) (Place, error) {
			agent.Go(func() { g.serve(p, conn) })
			return p, nil
		},
		Folders: folders, Timing: timing, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil && folders == nil { // what is lost of copies the test hears first
			t.Error(err)
		}
		conn.Close()
		agent.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ends != 1 {
			t.Errorf("the place was ended %d times", p.ends)
		}
	})
	return r, p
}

// A limit that the kind of place does not keep is refused, and the agent is not asked.
func TestRefusesLimits(t *testing.T) {
	r, _ := made(t, guest{run: func(*fake, net.Conn) (wire.ExecResult, error) {
		t.Error("it was run")
		return wire.ExecResult{}, nil
	}}, quick)
	if err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range []wire.Limits{{MemoryMB: 1}, {CPUMS: 1}} {
		for _, a := range []vmhost.Action{{Exec: &wire.ExecParams{Argv: []string{"x"}, Limits: l}}, {Tool: &wire.ToolParams{Op: "file.hash", Limits: l}}} {
			var unsupported *vmhost.UnsupportedError
			if _, err := r.Execute(t.Context(), a); !errors.As(err, &unsupported) {
				t.Errorf("%+v: %v", a, err)
			}
		}
	}
}

// What an agent cannot do is refused, and the agent is not asked.
func TestRefusesWhatTheAgentCannot(t *testing.T) {
	r, _ := made(t, guest{}, quick)
	if err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, a := range []vmhost.Action{{Tool: &wire.ToolParams{Op: "file.hash"}}, {File: &wire.FileParams{Op: wire.FileStat, Path: "/work/x", Roots: []string{"/work"}}}} {
		var unsupported *vmhost.UnsupportedError
		if _, err := r.Execute(t.Context(), a); !errors.As(err, &unsupported) {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

// Whatever an agent does wrong while it is connected to is the reason of the failure.
func TestConnectFails(t *testing.T) {
	impatient := quick
	impatient.Connect = 100 * time.Millisecond
	silent := func(ctx context.Context) (wire.Hello, error) { <-ctx.Done(); return wire.Hello{}, ctx.Err() }
	for name, tt := range map[string]struct {
		guest  guest
		timing Timing
		reason vmhost.Reason
		step   string
	}{
		"another version": {guest{hello: func(context.Context) (wire.Hello, error) { return wire.Hello{Version: wire.Version + 1}, nil }}, quick, vmhost.ReasonVersion, StepAgent},
		"it says so": {guest{hello: func(context.Context) (wire.Hello, error) {
			return wire.Hello{}, &jrpc2.Error{Code: wire.CodeVersion, Message: "another version"}
		}}, quick, vmhost.ReasonVersion, StepAgent},
		"an absurd hello": {guest{hello: func(context.Context) (wire.Hello, error) {
			return wire.Hello{Version: wire.Version, Capabilities: slices.Repeat([]string{"x"}, 1<<14)}, nil
		}}, quick, vmhost.ReasonProtocol, StepAgent},
		"silence":       {guest{hello: silent}, impatient, vmhost.ReasonStalled, StepAgent},
		"it is refused": {guest{prepare: func(context.Context) (wire.Empty, error) { return wire.Empty{}, errors.New("no") }}, quick, vmhost.ReasonRefused, StepPrepare},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := made(t, tt.guest, tt.timing)
			var f *vmhost.FailedError
			if err := r.Connect(t.Context()); !errors.As(err, &f) || f.Reason != tt.reason || f.Step != tt.step || f.Detail != "its last words" {
				t.Errorf("%+v", err)
			}
		})
	}
}

// A place that does not come is its maker's failure.
func TestOpenFails(t *testing.T) {
	known := &vmhost.FailedError{Runtime: "fake", Reason: vmhost.ReasonSandboxDenied}
	for _, tt := range []struct {
		err    error
		reason vmhost.Reason
	}{{errors.New("no"), vmhost.ReasonStart}, {fmt.Errorf("open: %w", known), vmhost.ReasonSandboxDenied}} {
		r := New(Config{Open: func(context.Context) (Place, error) { return nil, tt.err }, Capabilities: vmhost.Capabilities{Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}}})
		var f *vmhost.FailedError
		if err := r.Connect(t.Context()); !errors.As(err, &f) || f.Reason != tt.reason || f.Step != StepPlace {
			t.Errorf("%+v", err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Whatever an agent does wrong later ends the runtime at once, and what runs in it.
func TestFails(t *testing.T) {
	nothing := func() (wire.ExecResult, error) { return wire.ExecResult{ID: "x"}, nil }
	hasty := quick
	hasty.Ping, hasty.Hung = time.Millisecond, 100*time.Millisecond
	brief := quick
	brief.Evidence = time.Millisecond
	for name, tt := range map[string]struct {
		guest  guest
		timing Timing
		reason vmhost.Reason
	}{
		"the place ends": {guest{run: func(p *fake, c net.Conn) (wire.ExecResult, error) {
			c.Close()
			p.over(errors.New("killed"))
			return nothing()
		}}, quick, vmhost.ReasonExited},
		"the connection ends":    {guest{run: func(_ *fake, c net.Conn) (wire.ExecResult, error) { c.Close(); return nothing() }}, brief, vmhost.ReasonClosed},
		"it breaks the protocol": {guest{run: func(_ *fake, c net.Conn) (wire.ExecResult, error) { io.WriteString(c, "what?\n"); return nothing() }}, quick, vmhost.ReasonProtocol},
		"another's result":       {guest{run: func(*fake, net.Conn) (wire.ExecResult, error) { return wire.ExecResult{ID: "another"}, nil }}, quick, vmhost.ReasonProtocol},
		"it hangs": {guest{
			echo: func(ctx context.Context, _ wire.EchoParams) (wire.EchoParams, error) {
				<-ctx.Done()
				return wire.EchoParams{}, ctx.Err()
			},
			run: func(p *fake, _ net.Conn) (wire.ExecResult, error) { <-p.done; return nothing() },
		}, hasty, vmhost.ReasonHung},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := made(t, tt.guest, tt.timing)
			if err := r.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			var f *vmhost.FailedError
			if _, err := r.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"x"}}}); !errors.As(err, &f) || f.Reason != tt.reason {
				t.Errorf("%+v", err)
			}
			<-r.life.Ended()
			if s := r.Status(); s.State != vmhost.StateFailed {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Copies of folders are brought up to date before each action, and what changed in them is
// made in the folders after it, and at the end.
func TestFolders(t *testing.T) {
	done := func(*fake, net.Conn) (wire.ExecResult, error) { return wire.ExecResult{ID: "x"}, nil }
	unsaved := &vmhost.UnsavedError{Paths: []string{"a"}, Err: errors.New("no")}
	large := &vmhost.TooLargeError{Files: 5}
	for name, tt := range map[string]struct {
		err     map[string]error
		connect vmhost.Reason // of a failure
		action  vmhost.Reason // likewise
		unsaved bool
		done    string
	}{
		"all is well":         {nil, "", "", false, "send begin end fetch"},
		"too large":           {map[string]error{"send": fmt.Errorf("x: %w", large)}, vmhost.ReasonTooLarge, "", false, "send"},
		"it became too large": {map[string]error{"begin": large}, "", vmhost.ReasonTooLarge, false, "send begin"},
		"too large to fetch":  {map[string]error{"end": large}, "", vmhost.ReasonTooLarge, false, "send begin end"},
		"a hostile place":     {map[string]error{"end": &wire.InvalidError{}}, "", vmhost.ReasonProtocol, false, "send begin end"},
		"a place that can't":  {map[string]error{"end": errors.New("no")}, "", vmhost.ReasonShare, false, "send begin end"},
		"some can't be saved": {map[string]error{"end": unsaved}, "", "", true, "send begin end fetch"},
		"the last are lost":   {map[string]error{"fetch": unsaved}, "", "", false, "send begin end fetch"},
		"the last don't come": {map[string]error{"fetch": errors.New("no")}, "", "", false, "send begin end fetch"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &files{err: tt.err}
			r, _ := madeWith(t, guest{run: done}, quick, func() (Folders, error) { return f, nil })
			failed := func(err error, want vmhost.Reason) bool {
				var failed *vmhost.FailedError
				if want == "" {
					return err == nil
				}
				return errors.As(err, &failed) && failed.Reason == want
			}
			err := r.Connect(t.Context())
			if !failed(err, tt.connect) {
				t.Fatalf("%v", err)
			}
			if err == nil {
				obs, err := r.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{ID: "x", Argv: []string{"x"}}})
				if _, is := errors.AsType[*vmhost.UnsavedError](err); tt.unsaved != is || !tt.unsaved && !failed(err, tt.action) || tt.unsaved && obs.Exec == nil {
					t.Errorf("%v", err)
				}
			}
			err = r.Close(t.Context())
			if last := tt.err["fetch"]; (last == nil) != (err == nil) || !errors.Is(err, last) || last != nil && last != error(unsaved) && !failed(err, vmhost.ReasonShare) {
				t.Errorf("Close: %v", err)
			}
			if got := strings.Join(f.done, " "); got != tt.done {
				t.Errorf("%s", got)
			}
		})
	}
}

// Of what a place says the end is kept, as text.
func TestTail(t *testing.T) {
	var tail Tail
	for range 100 {
		tail.Write([]byte(strings.Repeat("x", 1000)))
	}
	tail.Write([]byte("the \xff end\n"))
	if s := tail.String(); len(s) > maxTail+2 || !strings.HasSuffix(s, "xthe \uFFFD end") {
		t.Errorf("%d bytes, %.20q", len(s), s[len(s)-20:])
	}
}
