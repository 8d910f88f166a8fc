//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gofrs/flock"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/attach"
	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/lock"
	"piwork/vmhost/wire"
)

// person sits at a terminal.
type person struct {
	t     *testing.T
	keys  *os.File
	local *os.File
	heard chan string
	seen  string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	keys, local, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 33, Cols: 91}); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, keys: keys, local: local, heard: make(chan string, 1024)}
	go func() {
		defer close(p.heard)
		b := make([]byte, 4096)
		for {
			n, err := keys.Read(b)
			if err != nil {
				return
			}
			p.heard <- string(b[:n])
		}
	}()
	t.Cleanup(func() { _ = local.Close(); _ = keys.Close() })
	return p
}

// reads waits until the screen shows a text.
func (p *person) reads(text string) {
	p.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(p.seen, text) {
		select {
		case more := <-p.heard:
			p.seen += more
		case <-late:
			p.t.Fatalf("the screen shows %q, and not %q", p.seen, text)
		}
	}
	_, p.seen, _ = strings.Cut(p.seen, text)
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.keys, text); err != nil {
		p.t.Fatal(err)
	}
}

// runs starts a command line on the terminal.
func (p *person) runs(f *fake, args ...string) <-chan int {
	end := make(chan int, 1)
	go func() {
		end <- run(p.t.Context(), args, Options{Stdin: p.local, Stdout: p.local, Stderr: p.local, Open: f.held})
	}()
	return end
}

// held is how a command line finds the controller.
func (f *fake) held(context.Context, app.Options) (background.Controller, error) {
	return nil, &lock.HeldError{PID: os.Getpid(), Socket: f.socket}
}

// shell says what it is told, until "exit".
func shell(ctx context.Context, p *attach.Program) int {
	size := <-p.Sizes()
	p.Output(ctx, wire.Stdout, []byte(strings.Repeat("=", size.Columns)+"$ "))
	defer context.AfterFunc(ctx, func() { _ = p.Input().Close() })()
	for line := ""; ; {
		b := make([]byte, 100)
		n, err := p.Input().Read(b)
		if err != nil {
			return 9
		}
		for _, c := range b[:n] {
			switch line += string(c); {
			case c == 3:
				p.Output(ctx, wire.Stdout, []byte("interrupted$ "))
			case strings.HasSuffix(line, "exit\r"):
				return 42
			}
		}
	}
}

// inBackground has a controller run, with the shell for a program. cut ends all
// connections to it.
func inBackground(t *testing.T) (f *fake, cut func()) {
	t.Helper()
	t.Setenv("LC_ALL", "C")
	dir, err := os.MkdirTemp("", "pw") // short: for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIWORK_DATA_DIR", filepath.Join(dir, "data"))
	f = &fake{Fake: apitest.New(apitest.Script{Run: apitest.Run{Program: shell}}), socket: filepath.Join(dir, "s"), lock: flock.New(filepath.Join(dir, "lock"))}
	s, err := background.NewServer(t.Context(), background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) { return f, nil }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = s.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-over; _ = os.RemoveAll(dir) })
	direct := f.socket
	f.socket = filepath.Join(dir, "p")
	ln, err := new(net.ListenConfig).Listen(t.Context(), "unix", f.socket)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	go func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			to, err := new(net.Dialer).Dial("unix", direct)
			if err != nil {
				_ = from.Close()
				return
			}
			mu.Lock()
			conns = append(conns, from, to)
			mu.Unlock()
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
	cut = func() {
		_ = ln.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			_ = c.Close()
		}
	}
	t.Cleanup(cut)
	return f, cut
}

func TestExecOnATerminal(t *testing.T) {
	f, _ := inBackground(t)
	p := newPerson(t)
	end := p.runs(f, "exec", "-it", "--", "sh")
	p.reads(strings.Repeat("=", 91) + "$ ")
	p.types("\x03")
	p.reads("interrupted$ ")
	p.types("exit\r")
	if code := <-end; code != 42 {
		t.Errorf("it ends with %d", code)
	}
	if req := f.Started()[0]; req.Terminal == nil || *req.Terminal != (wire.TerminalSize{Columns: 91, Rows: 33}) || !req.Interactive || req.Detached {
		t.Errorf("asked for %+v", req)
	}
}

func TestDetachAndAttach(t *testing.T) {
	f, _ := inBackground(t)
	p := newPerson(t)
	end := p.runs(f, "exec", "-i", "-t", "--", "sh")
	p.reads("=$ ")
	p.types("\x10")
	p.types("\x11")
	p.reads("piwork task attach")
	if code := <-end; code != ExitDone {
		t.Errorf("detached: %d", code)
	}
	list, err := f.Tasks(t.Context())
	if err != nil || len(list) != 1 || list[0].State.Final() {
		t.Fatalf("%+v %v", list, err)
	}
	end = p.runs(f, "task", "attach", list[0].ID)
	p.reads("=$ ") // what it said last
	p.types("\x03")
	p.reads("interrupted$ ")
	p.types("exit\r")
	if code := <-end; code != 42 {
		t.Errorf("it ends with %d", code)
	}
}

func TestAConnectionThatIsLost(t *testing.T) {
	f, cut := inBackground(t)
	p := newPerson(t)
	end := p.runs(f, "exec", "-it", "--", "sh")
	p.reads("=$ ")
	cut()
	if code := <-end; code != command.ExitOwn {
		t.Errorf("it ends with %d", code)
	}
	p.reads("answer")
}

// TestOutputWaitsForWhoReads: whoever starts a program and reads its output slowly, or not
// at first, gets all of it.
func TestOutputWaitsForWhoReads(t *testing.T) {
	f, _ := inBackground(t)
	const size = 8 << 20
	written := make(chan struct{})
	f.Run.Program = func(ctx context.Context, p *attach.Program) int {
		for i := range size / 1024 {
			p.Output(ctx, wire.Stdout, bytes.Repeat([]byte{byte(i)}, 1024))
			if i == attach.Backlog/1024/2 {
				close(written)
			}
		}
		return 7
	}
	screen, out := io.Pipe()
	end := make(chan int, 1)
	go func() {
		defer out.Close()
		end <- run(t.Context(), []string{"exec", "--", "cat"}, Options{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard, Open: f.held})
	}()
	<-written // and nothing was read
	n := 0
	for buf := make([]byte, 1024); ; n += len(buf) {
		if _, err := io.ReadFull(screen, buf); err != nil {
			break
		}
		if !bytes.Equal(buf, bytes.Repeat([]byte{byte(n / 1024)}, 1024)) {
			t.Fatalf("byte %d is %d", n, buf[0])
		}
	}
	if code := <-end; n != size || code != 7 {
		t.Errorf("%d bytes, and %d", n, code)
	}
}
