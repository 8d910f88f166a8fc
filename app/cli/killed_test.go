//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/app"
	"piwork/app/attach"
	"piwork/app/background"
	"piwork/app/lock"
	"piwork/app/problem"
)

// AttachTask implements api.Service. The program of a fake that was quick is over before anybody
// joins it.
func (f *fake) AttachTask(ctx context.Context, id string, wait bool) (attach.Conn, error) {
	c, err := f.Fake.AttachTask(ctx, id, wait)
	if !f.quick || err != nil {
		return c, err
	}
	defer c.Close()
	for err == nil {
		_, err = c.Read(ctx)
	}
	return nil, problem.New(problem.CodeNotAttachable).With("task", id)
}

// A program that is over before the command line joins it is no reason to crash: its end is told.
func TestExecThatIsOverAtOnce(t *testing.T) {
	f, _ := inBackground(t)
	f.quick = true
	f.Script.Run.Program = func(context.Context, *attach.Program) int { return 0 }
	var out, said bytes.Buffer
	code := run(t.Context(), []string{"exec", "--", "true"}, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said, Open: f.held})
	if code != ExitDone {
		t.Errorf("it ends with %d: %s", code, said.String())
	}
}

// dying is a way to a controller that dies once the controller has answered with so many pieces.
func dying(t *testing.T, f *fake, pieces int) (socket string) {
	t.Helper()
	socket = filepath.Join(filepath.Dir(f.socket), fmt.Sprint("k", pieces))
	ln, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	left := pieces
	die := func() {
		_ = ln.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			_ = c.Close()
		}
	}
	t.Cleanup(die)
	answer := func(from, to net.Conn) error {
		b := make([]byte, 4096)
		for {
			n, err := to.Read(b)
			mu.Lock()
			dead := left <= 0
			left--
			mu.Unlock()
			if dead {
				return errors.New("dead")
			}
			if _, werr := from.Write(b[:n]); err != nil || werr != nil {
				return nil // of this connection alone
			}
		}
	}
	go func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			to, err := new(net.Dialer).Dial("unix", f.socket)
			if err != nil {
				_ = from.Close()
				return
			}
			mu.Lock()
			conns = append(conns, from, to)
			mu.Unlock()
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() {
				if answer(from, to) != nil {
					die()
				}
				_ = from.Close()
			}()
		}
	}()
	return socket
}

// Whenever the controller dies while a command line waits for its program, the command line says
// so and ends: it never crashes, and never hangs.
func TestControllerDiesAtEveryPiece(t *testing.T) {
	f, _ := inBackground(t)
	f.Script.Run.Program = func(ctx context.Context, p *attach.Program) int {
		for range 3 {
			p.Output(ctx, "stdout", []byte("x\n"))
		}
		return 0
	}
	var all sync.WaitGroup
	for pieces := 3; pieces < 24; pieces++ { // the first find the controller
		socket := dying(t, f, pieces)
		open := func(context.Context, app.Options) (background.Controller, error) {
			return nil, &lock.HeldError{PID: 1, Socket: socket}
		}
		all.Go(func() {
			var out, said bytes.Buffer
			code := run(t.Context(), []string{"exec", "--", "true"}, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said, Open: open})
			if code == ExitDone && out.String() != "x\nx\nx\n" {
				t.Errorf("after %d pieces: done, with %q", pieces, out.String())
			}
			if code != ExitDone && said.Len() == 0 {
				t.Errorf("after %d pieces it ends with %d and says nothing", pieces, code)
			}
		})
	}
	all.Wait()
}
