//go:build unix

package qemu

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
)

// reaper is a small process that kills another one when this program ends. It
// reads a pipe whose other end only this program holds: first the id of the
// process, then, when that has ended, one more line. The pipe ends without that
// line when this program is gone, however it went. A reaper that is killed is
// replaced.
//
// Between the start of the process and its id in the pipe, and between the end
// of a reaper and the next one, lie microseconds in which nobody would kill it.
type reaper struct {
	mu       sync.Mutex
	cmd      *exec.Cmd
	in       io.WriteCloser
	pid      int  // to be killed, 0 before attach
	released bool // it may end
	ended    chan struct{}
}

// reaperLives is how many reapers one process can use up: whoever kills that
// many wants none.
const reaperLives = 16

// reaperScript kills what is named in the first line, unless a second one
// comes. Signals meant for this program's terminal must not end it.
const reaperScript = `trap '' HUP INT TERM; read -r pid || exit 0; read -r _ || kill -KILL "$pid"`

func startReaper() (*reaper, error) {
	r := &reaper{ended: make(chan struct{})}
	if err := r.start(); err != nil {
		return nil, err
	}
	go r.replace()
	return r, nil
}

// start starts the process of the reaper; r.mu is held, or nobody has r yet.
func (r *reaper) start() error {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", reaperScript)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{}
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start the reaper: %w", err)
	}
	r.cmd, r.in = cmd, in
	return nil
}

// replace waits for the end of the reaper and starts another one when it is
// still needed.
func (r *reaper) replace() {
	defer close(r.ended)
	for range reaperLives {
		_ = r.cmd.Wait() // only this goroutine changes cmd
		r.mu.Lock()
		again := !r.released && r.start() == nil
		if again && r.pid != 0 {
			_ = r.tell()
		}
		r.mu.Unlock()
		if !again {
			return
		}
	}
}

// attach tells the reaper which process to kill.
func (r *reaper) attach(pid int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pid = pid
	return r.tell()
}

func (r *reaper) tell() error {
	_, err := fmt.Fprintln(r.in, r.pid)
	return err
}

// release ends the reaper; the process has ended or was never started.
func (r *reaper) release() {
	r.mu.Lock()
	r.released = true
	if r.pid != 0 {
		_, _ = io.WriteString(r.in, "ended\n")
	}
	_ = r.in.Close()
	r.mu.Unlock()
	<-r.ended
}
