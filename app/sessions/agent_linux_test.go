package sessions

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/scripts/lib/gobuild"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// guest is the agent, built once.
var guest = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		return "", err
	}
	guestDir = dir
	path := filepath.Join(dir, "guest")
	return path, gobuild.Program(path, "piwork/pack/guest/cmd/piwork-guest", "")
})

var guestDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if guestDir != "" {
		_ = os.RemoveAll(guestDir)
	}
	os.Exit(code)
}

// agentPlace is the agent as a program of this computer, with nothing around it.
type agentPlace struct {
	cmd  *exec.Cmd
	conn net.Conn
	done chan struct{}
	err  error
}

func (p *agentPlace) Conn() net.Conn        { return p.conn }
func (p *agentPlace) Done() <-chan struct{} { return p.done }
func (p *agentPlace) Exit() error           { return p.err }
func (p *agentPlace) Evidence() string      { return "" }
func (p *agentPlace) End() error {
	_ = p.cmd.Process.Kill() // of one that has ended
	<-p.done
	return nil
}

func openAgent(context.Context) (hosted.Place, error) {
	path, err := guest()
	if err != nil {
		return nil, err
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	defer theirs.Close()
	p := &agentPlace{done: make(chan struct{})}
	if p.conn, err = net.FileConn(ours); err != nil {
		return nil, err
	}
	p.cmd = exec.CommandContext(context.Background(), path, "serve")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs, theirs, os.Stderr
	p.cmd.Env = []string{"PATH=/usr/bin:/bin"}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, p.conn.Close())
	}
	go func() { p.err = p.cmd.Wait(); close(p.done) }()
	return p, nil
}

// newRuntime is a runtime with the agent of this computer.
func newRuntime(t testing.TB) *hosted.Runtime {
	t.Helper()
	r := hosted.New(hosted.Config{
		Capabilities: vmhost.Capabilities{Name: "test", Isolation: vmhost.IsolationNone, Domain: vmhost.DomainHost, Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}},
		InitData:     vmhost.InitData{Runtime: "test", OS: "linux", Cwd: "/", Sandbox: "test", Network: vmhost.NetworkDeny},
		Open:         openAgent, Log: slog.New(slog.DiscardHandler),
	})
	if err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return r
}
