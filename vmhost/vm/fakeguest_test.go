//go:build unix

package vm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
	"github.com/creack/pty"
	"golang.org/x/sync/semaphore"

	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/wire"
	"piwork/vmhost/wire/mux"
)

// The fake guest speaks the real protocol over the real sockets; its programs
// run on this computer. It is a process of its own, so that everything from the
// start of QEMU on is tested as it is. A program whose name begins with
// "guest:" is something that a hostile or broken guest does.

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake guest:", err)
		os.Exit(98)
	}
}

// atEnd is what is done after the last test.
var atEnd []func() error

func TestMain(m *testing.M) {
	qemutest.Main(map[string]qemutest.Guest{
		"good": func(m *qemutest.Machine) int { return serve(m, &agent{}) },
		"slow": func(m *qemutest.Machine) int {
			if restored(m) {
				return serve(m, &agent{})
			}
			must(m.Connect())
			for range 20 { // slower in all than the silence that is borne
				must(m.Print("[    0.1] something\r\n"))
				time.Sleep(100 * time.Millisecond)
			}
			return talk(m, &agent{})
		},
		"refuses the first model": func(m *qemutest.Machine) int {
			if m.Arg("-cpu") == "host" {
				fmt.Fprintln(os.Stderr, "qemu: error: failed to set MSR 0x10a")
				return 1
			}
			return serve(m, &agent{})
		},
		"old": func(m *qemutest.Machine) int {
			return serve(m, &agent{hello: func() (any, error) {
				return nil, &jrpc2.Error{Code: wire.CodeVersion, Message: "the host is too new"}
			}})
		},
		"new":            func(m *qemutest.Machine) int { return serve(m, helloAs(wire.Hello{Version: 2})) },
		"absurd hello":   func(m *qemutest.Machine) int { return serve(m, helloAs(absurdHello())) },
		"hello of words": func(m *qemutest.Machine) int { return serve(m, helloAs([]string{"hello"})) },
		"hello fails": func(m *qemutest.Machine) int {
			return serve(m, &agent{hello: func() (any, error) {
				return nil, &jrpc2.Error{Code: wire.CodeGuestFault, Message: "no root", Data: json.RawMessage(`{"hint":"look at the disk"}`)}
			}})
		},
		"mount fails": func(m *qemutest.Machine) int {
			return serve(m, &agent{mountError: &jrpc2.Error{Code: wire.CodeMount, Message: "no 9p here"}})
		},
		"dead console": func(m *qemutest.Machine) int {
			must(m.Connect())
			<-m.Quit
			return 0
		},
		"hangs in the boot": func(m *qemutest.Machine) int {
			must(m.Connect())
			must(m.Print("[    0.1] something\r\n"))
			<-m.Quit
			return 0
		},
		"panics in the boot": func(m *qemutest.Machine) int {
			must(m.Connect())
			must(m.Print("[    0.1] Kernel panic - not syncing: No working init found.\r\n"))
			must(m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-reset"}`))
			return 0
		},
		"is damaged": func(m *qemutest.Machine) int {
			must(m.Connect())
			must(m.Print("DAMAGED the image is damaged: /dev/vda has 4096 bytes\r\n"))
			must(m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-shutdown"}`))
			return 0
		},
		"exits in the boot": func(m *qemutest.Machine) int {
			must(m.Connect())
			must(m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-shutdown"}`))
			return 0
		},
		"closes in the boot": func(m *qemutest.Machine) int {
			must(m.Connect())
			must(m.Ports[wire.PortRPC].Close())
			<-m.Quit
			return 0
		},
		"garbage in the boot": func(m *qemutest.Machine) int {
			must(m.Connect())
			_, _ = io.WriteString(m.Ports[wire.PortRPC], "\x1b[2Jlogin: \r\n")
			<-m.Quit
			return 0
		},
		"restore hangs": later(func(m *qemutest.Machine) int {
			m.Refuse = map[string]string{"migrate-incoming": ""}
			must(m.Connect())
			return stay(m)
		}),
		"restore is refused": later(func(m *qemutest.Machine) int {
			m.Refuse = map[string]string{"migrate-incoming": "no such thing"}
			must(m.Connect())
			return stay(m)
		}),
		"restore does not start": later(func(*qemutest.Machine) int { return 1 }),
		"restored, it is silent": whenRestored(stay),
		"restored, it exits":     whenRestored(func(*qemutest.Machine) int { return 3 }),
		"restored, it panics": whenRestored(func(m *qemutest.Machine) int {
			must(m.Print("Kernel panic - not syncing: Attempted to kill init!\r\n"))
			return stay(m)
		}),
		"restored, it says garbage": whenRestored(func(m *qemutest.Machine) int {
			_, _ = io.WriteString(m.Ports[wire.PortRPC], "\x00\x01garbage\n")
			return stay(m)
		}),
		"restored, it answers nonsense": later(func(m *qemutest.Machine) int { return serve(m, &agent{prepareAnswer: []string{"words"}}) }),
		"restored, it closes the port": whenRestored(func(m *qemutest.Machine) int {
			must(m.Ports[wire.PortRPC].Close())
			return stay(m)
		}),
		"restored, it is not prepared": later(func(m *qemutest.Machine) int {
			return serve(m, &agent{prepareError: &jrpc2.Error{Code: wire.CodeGuestFault, Message: "no root"}})
		}),
		"restored, it cannot mount": later(func(m *qemutest.Machine) int {
			return serve(m, &agent{mountError: &jrpc2.Error{Code: wire.CodeMount, Message: "no 9p here"}})
		}),
		"cannot mount a device": func(m *qemutest.Machine) int {
			return serve(m, &agent{deviceError: &jrpc2.Error{Code: wire.CodeMount, Message: "no driver"}})
		},
		"knows no links": func(m *qemutest.Machine) int {
			return serve(m, &agent{lacks: []string{wire.CanGateway, wire.CanNetwork, wire.CanCache}})
		},
		"knows no terminals": func(m *qemutest.Machine) int { return serve(m, &agent{lacks: []string{wire.CanTerminal}}) },
		"knows no owners":    func(m *qemutest.Machine) int { return serve(m, &agent{lacks: []string{wire.CanOwner}}) },
		"knows no state":     func(m *qemutest.Machine) int { return serve(m, &agent{lacks: []string{wire.CanMountState}}) },
		"knows no virtio-fs": func(m *qemutest.Machine) int { return serve(m, &agent{lacks: []string{wire.CanMountVirtioFS}}) },
		"has no links": func(m *qemutest.Machine) int {
			return serve(m, &agent{linkError: &jrpc2.Error{Code: wire.CodeLink, Message: "no such driver"}})
		},
		"takes no device": func(m *qemutest.Machine) int {
			m.Refuse = map[string]string{"device_add": "no such device"}
			return serve(m, &agent{})
		},
		"dies of the device": func(m *qemutest.Machine) int {
			if strings.Contains(strings.Join(m.Args, " "), "/proc/self/fd/3") {
				m.Refuse = map[string]string{"device_add": ""}
				must(m.Connect())
				return 3
			}
			return serve(m, &agent{})
		},
		"cannot be restored": func(m *qemutest.Machine) int {
			if restored(m) {
				return 1
			}
			return serve(m, &agent{})
		},
		"cannot be saved": func(m *qemutest.Machine) int {
			m.Refuse = map[string]string{"migrate": "a device forbids it"}
			return serve(m, &agent{})
		},
		"cannot be warmed": func(m *qemutest.Machine) int {
			return serve(m, &agent{warmError: &jrpc2.Error{Code: wire.CodeGuestFault, Message: "no disk"}})
		},
		"knows no templates": func(m *qemutest.Machine) int { return serve(m, &agent{cannot: 3}) },
		"will not power off": func(m *qemutest.Machine) int { return serve(m, &agent{ignoreShutdown: true}) },
	})
	code := m.Run()
	for _, end := range atEnd {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func absurdHello() wire.Hello {
	h := wire.Hello{Version: wire.Version, Agent: "x"}
	for range 10000 {
		h.Capabilities = append(h.Capabilities, "exec")
	}
	return h
}

func helloAs(v any) *agent { return &agent{hello: func() (any, error) { return v, nil }} }

// agent is the fake's side of the protocol.
type agent struct {
	hello          func() (any, error)
	warmError      error
	prepareError   error
	prepareAnswer  any
	mountError     error
	deviceError    error // of virtio-fs alone
	lacks          []string
	linkError      error
	cannot         int // how many of its capabilities it does not say
	ignoreShutdown bool

	m    *qemutest.Machine
	port net.Conn
	off  chan struct{}

	mu       sync.Mutex
	prepared wire.PrepareParams
	warmed   []wire.WarmParams
	clocks   []int64
	mounted  string
	linked   []string
	plugs    map[string]net.Conn
	bridged  net.Conn // the last port that was used for streams
	runs     map[string]*run
}

// run is an execution or a tool run.
type run struct {
	cancel context.CancelFunc
	stdin  io.WriteCloser
	room   *semaphore.Weighted // for output that the host has not taken
	person *os.File            // the other side of its terminal; nil without
	done   chan struct{}
	result wire.ExecResult
	err    error
}

func serve(m *qemutest.Machine, a *agent) int {
	must(m.Connect())
	if restored(m) {
		select {
		case <-m.Restored:
		case <-m.Quit:
			return 0
		}
	} else {
		must(m.Print("Linux version 6.12 (fake)\r\n"))
	}
	return talk(m, a)
}

// restored tells whether the machine comes from a template.
func restored(m *qemutest.Machine) bool { return m.Arg("-incoming") != "" }

// markEnv names a file that the first machine restored makes.
const markEnv = "PIWORK_TEST_MARK"

// later is a guest that is good, until it is restored for the second time: the
// first time is the factory's own.
func later(bad qemutest.Guest) qemutest.Guest {
	return func(m *qemutest.Machine) int {
		if restored(m) {
			f, err := os.OpenFile(os.Getenv(markEnv), os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, os.ErrExist) {
				return bad(m)
			}
			must(err)
			must(f.Close())
		}
		return serve(m, &agent{})
	}
}

// whenRestored waits until the machine runs and then does f.
func whenRestored(f func(*qemutest.Machine) int) qemutest.Guest {
	return later(func(m *qemutest.Machine) int {
		must(m.Connect())
		<-m.Restored
		return f(m)
	})
}

func stay(m *qemutest.Machine) int { <-m.Quit; return 0 }

func talk(m *qemutest.Machine, a *agent) int {
	a.m, a.port, a.runs, a.off = m, m.Ports[wire.PortRPC], make(map[string]*run), make(chan struct{})
	srv := jrpc2.NewServer(handler.Map{
		wire.MethodHello: handler.New(func(_ context.Context, p wire.HelloParams) (any, error) {
			if a.hello != nil {
				return a.hello()
			}
			can := []string{wire.CanExec, wire.CanTool, wire.CanMountVirtioFS, wire.CanMountVirtio9P, wire.CanMountState, wire.CanGateway, wire.CanNetwork, wire.CanCache, wire.CanOwner, wire.CanWarm, wire.CanClock, wire.CanTerminal, wire.CanPrepareMount}
			can = slices.DeleteFunc(can, func(c string) bool { return slices.Contains(a.lacks, c) })
			return wire.Hello{Version: wire.Version, Agent: "fake", BootID: "boot", Kernel: "6.12", Capabilities: can[:len(can)-a.cannot]}, p.Validate()
		}),
		wire.MethodWarm: handler.New(func(_ context.Context, p wire.WarmParams) (wire.WarmResult, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.warmed = append(a.warmed, p)
			return wire.WarmResult{MarksMS: map[string]uint64{"root": 1}}, errors.Join(a.warmError, p.Validate())
		}),
		wire.MethodClock: handler.New(func(_ context.Context, p wire.ClockParams) (wire.Empty, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.clocks = append(a.clocks, p.UnixNano)
			return wire.Empty{}, p.Validate()
		}),
		wire.MethodPrepare: handler.New(func(ctx context.Context, p wire.PrepareParams) (any, error) {
			a.mu.Lock()
			a.prepared = p
			a.mu.Unlock()
			if a.prepareAnswer != nil {
				return a.prepareAnswer, nil
			}
			if err := errors.Join(a.prepareError, p.Validate()); err != nil || p.Mount == nil {
				return wire.Empty{}, err
			}
			return a.mount(ctx, *p.Mount)
		}),
		wire.MethodMount:   handler.New(a.mount),
		wire.MethodGateway: handler.New(a.gateway),
		wire.MethodNetwork: handler.New(a.network),
		wire.MethodCache: handler.New(func(_ context.Context, p wire.CacheParams) (wire.Empty, error) {
			a.link("cache", fmt.Sprintf("%s %d", p.Disk, p.LimitMB))
			return wire.Empty{}, errors.Join(p.Validate(), a.linkError)
		}),
		wire.MethodOwner:     handler.New(a.owner),
		wire.MethodEcho:      handler.New(func(_ context.Context, p wire.EchoParams) (wire.EchoParams, error) { return p, nil }),
		wire.MethodExecRun:   handler.New(a.execRun),
		wire.MethodExecStart: handler.New(a.execStart),
		wire.MethodExecWrite: handler.New(a.execWrite),
		wire.NotifyExecTaken: handler.New(func(_ context.Context, p wire.ExecTaken) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			if r := a.runs[p.ID]; r != nil {
				r.room.Release(p.Bytes)
			}
			return p.Validate()
		}),
		wire.MethodExecWait:   handler.New(a.execWait),
		wire.MethodExecResize: handler.New(a.execResize),
		wire.MethodToolRun:    handler.New(a.toolRun),
		wire.MethodCancel:     handler.New(a.cancel),
		wire.MethodShutdown: handler.New(func(context.Context, wire.Empty) (wire.Empty, error) {
			if !a.ignoreShutdown {
				close(a.off)
			}
			return wire.Empty{}, nil
		}),
	}, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 64}).Start(wire.Channel(a.port, nil))
	select {
	case <-m.Quit:
	case <-a.off:
		time.Sleep(20 * time.Millisecond) // the answer leaves first
		_ = m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-shutdown"}`)
	}
	_ = srv
	return 0
}

// mount asks the file server a question, as the kernel would.
func (a *agent) mount(_ context.Context, p wire.MountParams) (wire.Empty, error) {
	if err := p.Validate(); err != nil || a.mountError != nil {
		return wire.Empty{}, errors.Join(a.mountError, err)
	}
	fs := a.m.Ninep
	if p.Kind == wire.KindVirtioFS {
		if a.deviceError != nil {
			return wire.Empty{}, a.deviceError
		}
		select {
		case fs = <-a.m.Folders:
		case <-a.m.Quit:
			return wire.Empty{}, nil
		}
	}
	if _, err := io.WriteString(fs, "attach\n"); err != nil {
		return wire.Empty{}, err
	}
	answer := make([]byte, 3)
	if _, err := io.ReadFull(fs, answer); err != nil {
		return wire.Empty{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mounted = fmt.Sprintf("%s at %s: %s", p.Kind, p.Path, answer)
	if p.State {
		a.mounted += " with state"
	}
	return wire.Empty{}, nil
}

// plugged waits for what the host plugs.
func (a *agent) plugged(name string) (net.Conn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.plugs[name] == nil {
		select {
		case p := <-a.m.Plugged:
			if a.plugs == nil {
				a.plugs = map[string]net.Conn{}
			}
			a.plugs[p.Name] = p.Conn
		case <-a.m.Quit:
			return nil, errors.New("the machine ends")
		}
	}
	return a.plugs[name], nil
}

// gateway asks the host something in a stream, as the bridge would for a program.
func (a *agent) gateway(context.Context, wire.Empty) (wire.Empty, error) {
	if a.linkError != nil {
		return wire.Empty{}, a.linkError
	}
	return wire.Empty{}, a.bridge()
}

func (a *agent) bridge() error {
	a.mu.Lock()
	if a.plugs[wire.PortNet] == a.bridged { // who waits for the card may have heard of the next one
		delete(a.plugs, wire.PortNet)
	}
	a.mu.Unlock()
	conn, err := a.plugged(wire.PortNet)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.bridged = conn
	a.mu.Unlock()
	s, err := mux.Guest(conn)
	if err != nil {
		return err
	}
	stream, err := s.Open()
	if err == nil {
		_, err = io.WriteString(stream, "who is there?")
	}
	if err == nil {
		err = stream.Close()
	}
	if err != nil {
		return err
	}
	b, err := io.ReadAll(stream)
	a.link(wire.PortNet, string(b))
	return err
}

// network sends a frame and waits for one.
func (a *agent) network(_ context.Context, p wire.NetworkParams) (wire.Empty, error) {
	if err := p.Validate(); err != nil || a.linkError != nil {
		return wire.Empty{}, errors.Join(err, a.linkError)
	}
	conn, err := a.plugged("net")
	if err == nil {
		_, err = io.WriteString(conn, "\x00\x00\x00\x05frame")
	}
	b := make([]byte, 9)
	if err == nil {
		_, err = io.ReadFull(conn, b)
	}
	a.link(p.MAC+" "+p.Address+" "+p.Gateway+" "+p.DNS, string(b[4:]))
	return wire.Empty{}, err
}

func (a *agent) link(what, said string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.linked = append(a.linked, what+": "+said)
}

func (a *agent) begin(p wire.ExecParams) (*run, context.Context, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, &jrpc2.Error{Code: wire.CodeInvalid, Message: err.Error()}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{cancel: cancel, done: make(chan struct{})}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.runs[p.ID]; ok {
		cancel()
		return nil, nil, &jrpc2.Error{Code: wire.CodeExists, Message: "the id is taken"}
	}
	a.runs[p.ID] = r
	return r, ctx, nil
}

func (a *agent) execRun(_ context.Context, p wire.ExecParams) (wire.ExecResult, error) {
	r, ctx, err := a.begin(p)
	if err != nil {
		return wire.ExecResult{}, err
	}
	if name, ok := strings.CutPrefix(p.Argv[0], "guest:"); ok {
		return a.misbehave(ctx, name, p)
	}
	var mu sync.Mutex
	var stdout, stderr []byte
	cut := false
	err = r.start(ctx, p, func(stream string, data []byte) {
		mu.Lock()
		defer mu.Unlock()
		if room := wire.MaxRunOut - len(stdout) - len(stderr); len(data) > room {
			data, cut = data[:room], true
		}
		if stream == wire.Stdout {
			stdout = append(stdout, data...)
		} else {
			stderr = append(stderr, data...)
		}
	})
	if err != nil {
		return wire.ExecResult{}, err
	}
	<-r.done
	res := r.result
	res.Stdout, res.Stderr, res.Truncated = stdout, stderr, cut
	return res, r.err
}

func (a *agent) execStart(ctx context.Context, p wire.ExecParams) (wire.Empty, error) {
	r, runCtx, err := a.begin(p)
	if err != nil {
		return wire.Empty{}, err
	}
	srv := jrpc2.ServerFromContext(ctx)
	r.room = semaphore.NewWeighted(p.Ahead)
	return wire.Empty{}, r.start(runCtx, p, func(stream string, data []byte) {
		if r.room.Acquire(runCtx, wire.OutputWeight(len(data))) != nil {
			return // it is cancelled
		}
		_ = srv.Notify(context.Background(), wire.NotifyExecOutput, wire.ExecOutput{ID: p.ID, Stream: stream, Data: data})
	})
}

// start runs a program; out hears its output.
func (r *run) start(ctx context.Context, p wire.ExecParams, out func(stream string, data []byte)) error {
	runCtx, stop := context.WithCancelCause(ctx)
	cmd := exec.CommandContext(runCtx, p.Argv[0], p.Argv[1:]...)
	cmd.Dir = p.Cwd
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	for k, v := range p.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.SysProcAttr = endsWithGuest(&syscall.SysProcAttr{Setpgid: true})
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var sent int64
	var mu sync.Mutex
	writer := func(stream string) io.Writer {
		return writerFunc(func(b []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			n := len(b)
			if l := p.Limits.OutputBytes; l > 0 && sent+int64(len(b)) > l {
				b = b[:l-sent]
				stop(errors.New(wire.EndedOutputLimit))
			}
			sent += int64(len(b))
			if len(b) > 0 {
				out(stream, bytes.Clone(b))
			}
			return n, nil
		})
	}
	cmd.Stdout, cmd.Stderr = writer(wire.Stdout), writer(wire.Stderr)
	var heard sync.WaitGroup
	if p.Terminal != nil {
		person, tty, err := pty.Open()
		if err != nil {
			return err
		}
		defer tty.Close()
		if err := pty.Setsize(person, &pty.Winsize{Rows: uint16(p.Terminal.Rows), Cols: uint16(p.Terminal.Columns)}); err != nil {
			return err
		}
		said := cmd.Stdout
		cmd.Stdin, cmd.Stdout, cmd.Stderr, r.stdin, r.person = tty, tty, tty, person, person
		cmd.SysProcAttr = endsWithGuest(&syscall.SysProcAttr{Setsid: true, Setctty: true})
		heard.Go(func() { _, _ = io.Copy(said, person) })
	} else if p.KeepIn {
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		r.stdin = in
	} else {
		cmd.Stdin = bytes.NewReader(p.Stdin)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		close(r.done)
		e := &jrpc2.Error{Code: wire.CodeStart, Message: err.Error()}
		if _, gone := os.Stat(cmd.Dir); gone == nil && (errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound)) {
			e = e.WithData(wire.ErrorData{Errno: int(syscall.ENOENT)})
		}
		return e
	}
	if w := p.Limits.WallMS; w > 0 {
		time.AfterFunc(time.Duration(w)*time.Millisecond, func() { stop(errors.New(wire.EndedTimeout)) })
	}
	go func() {
		defer close(r.done)
		_ = cmd.Wait()
		heard.Wait()
		st := cmd.ProcessState.Sys().(syscall.WaitStatus)
		r.result = wire.ExecResult{ID: p.ID, ExitCode: st.ExitStatus(), WallMS: time.Since(began).Milliseconds()}
		if st.Signaled() {
			r.result.Signal, r.result.ExitCode = int(st.Signal()), 128+int(st.Signal())
		}
		if runCtx.Err() != nil && st.Signaled() {
			r.result.Ended = wire.EndedCancelled
			if why := context.Cause(runCtx).Error(); why == wire.EndedTimeout || why == wire.EndedOutputLimit {
				r.result.Ended = why
			}
		}
	}()
	return nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func (a *agent) find(id string) (*run, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.runs[id]
	if !ok {
		return nil, &jrpc2.Error{Code: wire.CodeNotFound, Message: "no such execution"}
	}
	return r, nil
}

func (a *agent) execWrite(_ context.Context, p wire.ExecWrite) (wire.Empty, error) {
	r, err := a.find(p.ID)
	if err != nil {
		return wire.Empty{}, err
	}
	if _, err = r.stdin.Write(p.Data); err == nil && p.Close {
		err = r.stdin.Close()
	}
	return wire.Empty{}, err
}

func (a *agent) execResize(_ context.Context, p wire.ExecResize) (wire.Empty, error) {
	r, err := a.find(p.ID)
	if err == nil {
		err = pty.Setsize(r.person, &pty.Winsize{Rows: uint16(p.Rows), Cols: uint16(p.Columns)})
	}
	return wire.Empty{}, err
}

func (a *agent) execWait(_ context.Context, p wire.ExecRef) (wire.ExecResult, error) {
	r, err := a.find(p.ID)
	if err != nil {
		return wire.ExecResult{}, err
	}
	<-r.done
	return r.result, r.err
}

func (a *agent) cancel(_ context.Context, p wire.ExecRef) (wire.Empty, error) {
	r, err := a.find(p.ID)
	if err == nil {
		r.cancel()
	}
	return wire.Empty{}, err
}

// toolRun knows two operations: one counts to ten, one waits to be cancelled.
func (a *agent) toolRun(ctx context.Context, p wire.ToolParams) (wire.ToolResult, error) {
	r, runCtx, err := a.begin(wire.ExecParams{ID: p.ID, Argv: []string{"tool"}})
	if err != nil {
		return wire.ToolResult{}, err
	}
	res := wire.ToolResult{ID: p.ID, Versions: map[string]string{"fake": "1"}}
	switch p.Op {
	case "test.count":
		srv := jrpc2.ServerFromContext(ctx)
		for i := range int64(10) {
			_ = srv.Notify(ctx, wire.NotifyToolProgress, wire.ToolProgress{ID: p.ID, Done: i + 1, Total: 10})
			_ = srv.Notify(ctx, wire.NotifyExecOutput, wire.ExecOutput{ID: p.ID, Stream: wire.Stderr, Data: bytes.Repeat([]byte{'w'}, 20<<10)})
			time.Sleep(5 * time.Millisecond)
		}
		for _, in := range p.In {
			res.Problems = append(res.Problems, wire.ToolProblem{Code: "input-missing", Path: in})
		}
	case "test.wait":
		<-runCtx.Done()
		res.Problems = []wire.ToolProblem{{Code: "cancelled"}}
	case "test.absurd":
		res.Out = []wire.ToolFile{{Path: "../../etc/passwd", Size: -1}}
	default:
		return res, &jrpc2.Error{Code: wire.CodeUnknownOp, Message: "no such operation"}
	}
	r.cancel()
	close(r.done)
	return res, nil
}

// deafSays is what a guest logs that follows no cancel from then on.
const deafSays = "I follow no cancel"

// misbehave does what no good guest does.
func (a *agent) misbehave(ctx context.Context, what string, p wire.ExecParams) (wire.ExecResult, error) {
	say := func(line string) { _, _ = io.WriteString(a.port, line) }
	ok := wire.ExecResult{ID: p.ID}
	forever := func(f func()) (wire.ExecResult, error) {
		for ctx.Err() == nil {
			f()
		}
		return ok, nil
	}
	switch what {
	case "report":
		a.mu.Lock()
		defer a.mu.Unlock()
		b, err := json.Marshal(map[string]any{"prepared": a.prepared, "warmed": a.warmed, "clocks": a.clocks, "mounted": a.mounted, "linked": a.linked, "args": a.m.Args})
		ok.Stdout = b
		return ok, err
	case "exit":
		os.Exit(3)
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "panic":
		must(a.m.Print("Kernel panic - not syncing: Fatal exception\r\n"))
		os.Exit(0)
	case "verity":
		must(a.m.Print("device-mapper: verity: 254:0: data block 7 is corrupted\r\nKernel panic - not syncing: dm-verity device corrupted\r\n"))
		os.Exit(0)
	case "damaged":
		must(a.m.Print("DAMAGED layer media: the image is damaged: 254:0: data block 7\r\n"))
		must(a.m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-shutdown"}`))
		os.Exit(0)
	case "panic and stay":
		must(a.m.Print("Kernel panic - not syncing: Fatal exception\r\n"))
		select {}
	case "power off":
		must(a.m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-shutdown"}`))
		os.Exit(0)
	case "close port":
		must(a.port.Close())
		select {}
	case "close share":
		must(a.m.Ninep.Close())
		select {}
	case "port again": // the host has plugged it anew
		must(a.bridge())
		return ok, nil
	case "garbage on the port":
		conn, err := a.plugged(wire.PortNet)
		must(err)
		_, _ = conn.Write(bytes.Repeat([]byte("\x00\x02\x00\x01ping"), 1000))
		return ok, nil
	case "disk full":
		must(a.m.Event("BLOCK_IO_ERROR", `{"device":"work","operation":"write","action":"stop","nospace":true}`))
		select {}
	case "bad disk":
		must(a.m.Event("BLOCK_IO_ERROR", `{"device":"work","operation":"read","action":"report"}`))
		return ok, nil
	case "garbage":
		say("this is no JSON\n")
		select {}
	case "binary":
		say("\x00\xff\xfe{\n")
		select {}
	case "batch":
		say(`[{"jsonrpc":"2.0","id":1,"result":{}}]` + "\n")
		select {}
	case "endless line":
		junk := strings.Repeat("x", 64<<10)
		return forever(func() { say(junk) })
	case "deep JSON":
		say(strings.Repeat("[", 500000) + "\n")
		select {}
	case "strays":
		for i := range 20000 {
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", 1000000+i))
		}
		return ok, nil
	case "unknown notifications":
		for range 1000 {
			say(`{"jsonrpc":"2.0","method":"guest.song","params":{"text":"la"}}` + "\n")
		}
		return ok, nil
	case "output of strangers":
		for range 1000 {
			say(`{"jsonrpc":"2.0","method":"exec.output","params":{"id":"nobody","stream":"stdout","data":"eA=="}}` + "\n")
		}
		return ok, nil
	case "log flood":
		for range 20000 {
			say(`{"jsonrpc":"2.0","method":"guest.log","params":{"level":"error","text":"la la la"}}` + "\n")
		}
		return ok, nil
	case "output without stream":
		say(`{"jsonrpc":"2.0","method":"exec.output","params":{"id":"x","stream":"side","data":"eA=="}}` + "\n")
		select {}
	case "output of numbers":
		say(`{"jsonrpc":"2.0","method":"exec.output","params":7}` + "\n")
		select {}
	case "progress backwards":
		say(`{"jsonrpc":"2.0","method":"tool.progress","params":{"id":"x","done":-5,"total":-1}}` + "\n")
		select {}
	case "long log":
		say(`{"jsonrpc":"2.0","method":"guest.log","params":{"level":"error","text":"` + strings.Repeat("x", 100000) + `"}}` + "\n")
		select {}
	case "one call":
		say(`{"jsonrpc":"2.0","id":"g1","method":"host.secrets","params":{}}` + "\n")
		return ok, nil
	case "many calls":
		for i := range 100000 {
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"g%d","method":"host.secrets","params":{}}`+"\n", i))
		}
		select {}
	case "absurd exit":
		ok.ExitCode = 70000
		return ok, nil
	case "absurd time":
		ok.WallMS = -1 << 62
		return ok, nil
	case "another's result":
		ok.ID = "another"
		return ok, nil
	case "result of words":
		return wire.ExecResult{}, &jrpc2.Error{Code: 4242, Message: strings.Repeat("words ", 10000)}
	case "console flood":
		for range 200 {
			must(a.m.Print(strings.Repeat("y", 64<<10)))
		}
		return ok, nil
	case "hang":
		// Nothing is read or said any more; the connection stays.
		must(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
		select {}
	case "deaf": // follows no cancel
		say(`{"jsonrpc":"2.0","method":"guest.log","params":{"level":"error","text":"` + deafSays + `"}}` + "\n")
		select {}
	}
	return ok, fmt.Errorf("what is %q?", what)
}
