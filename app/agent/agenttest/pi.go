// Package agenttest runs the real pi as a process of this computer, for tests of
// AI tasks. A model for it is scripted with app/gateway/gatewaytest.
package agenttest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Where the real pi is: EnvPi names a directory as the runtime pack has it at
// /opt/piwork/pi, EnvNode a Node that is new enough ("node" without it).
const (
	EnvPi   = "PIWORK_PI"
	EnvNode = "PIWORK_NODE"
)

// RealPi returns Node and pi's program, or skips the test.
func RealPi(t testing.TB) (node, main string) {
	dir := os.Getenv(EnvPi)
	if dir == "" {
		t.Skip(EnvPi + " names no unpacked pi: ./scripts/test vm plays it with that of the pack, the other tests its recordings")
	}
	node = os.Getenv(EnvNode)
	node = cmp.Or(node, "node")
	main = filepath.Join(dir, "dist", "bundle", "cli.js")
	if _, err := os.Stat(main); err != nil {
		t.Fatalf("%s: %v", EnvPi, err)
	}
	return node, main
}

// Process is a program with pipes.
type Process struct {
	In     io.WriteCloser
	Out    io.Reader
	cmd    *exec.Cmd
	stderr lockedBuffer
}

// StartProcess starts argv in dir with env beside PATH and a home of its own.
func StartProcess(t testing.TB, argv, env []string, dir string) *Process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	p.cmd.Dir = dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8"}, env...)
	p.cmd.Stderr = &p.stderr
	var err error
	if p.In, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, w := io.Pipe()
	p.Out, p.cmd.Stdout = out, w
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", argv[0], err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.cmd.Wait() // how it ends is for the test to see
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		out.Close()
		<-done
		if s := p.stderr.String(); s != "" && t.Failed() {
			t.Logf("standard error of pi:\n%s", s)
		}
	})
	return p
}

// Kill ends it as SIGKILL does.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
