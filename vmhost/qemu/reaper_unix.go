//go:build unix

package qemu

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// reaper is a small process that kills another one when this program ends. It
// reads a pipe whose other end only this program holds: first the id of the
// process, then, when that has ended, one more line. The pipe ends without that
// line when this program is gone, however it went.
//
// Between the start of the process and its id in the pipe lie microseconds in
// which nobody would kill it.
type reaper struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	told bool // which process to kill
}

// reaperScript kills what is named in the first line, unless a second one
// comes. Signals meant for this program's terminal must not end it.
const reaperScript = `trap '' HUP INT TERM; read -r pid || exit 0; read -r _ || kill -KILL "$pid"`

func startReaper() (*reaper, error) {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", reaperScript)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{}
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the reaper: %w", err)
	}
	return &reaper{cmd: cmd, in: in}, nil
}

// attach tells the reaper which process to kill.
func (r *reaper) attach(pid int) error {
	r.told = true
	_, err := fmt.Fprintln(r.in, pid)
	return err
}

// release ends the reaper; the process has ended or was never started.
func (r *reaper) release() {
	if r.told {
		_, _ = io.WriteString(r.in, "ended\n")
	}
	_ = r.in.Close()
	_ = r.cmd.Wait()
}
