//go:build vm || long

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"piwork/vmhost/vm/suites/order"
)

// run runs a program until it ends, and ends it with everything that it started
// when its time is over. What it says goes through a file: others that it left
// behind may hold that open.
func (g *guest) run(ctx context.Context, o order.Order) (r order.Result, err error) {
	out, err := os.CreateTemp("/", "out")
	if err != nil {
		return r, err
	}
	defer out.Close()
	defer os.Remove(out.Name())
	c := exec.CommandContext(ctx, o.Argv[0], o.Argv[1:]...)
	c.Stdout, c.Stderr, c.Dir, c.Env = out, out, o.Dir, append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/home", "LC_ALL=C.UTF-8", "TZ=UTC", "TMPDIR=/tmp", "USER=piwork", "LOGNAME=piwork",
	}, o.Env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !o.Bare {
		c.SysProcAttr.Chroot = newRoot
		c.Path, c.Err = o.Argv[0], nil
	}
	if !o.Root {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: order.User, Gid: order.User}
	}
	pid, err := g.children.Start(func() (int, error) {
		if err := c.Start(); err != nil {
			return 0, err
		}
		return c.Process.Pid, nil
	})
	if err != nil {
		return r, err
	}
	over := make(chan error, 1)
	go func() { over <- g.children.AwaitExit(pid) }()
	select {
	case err = <-over:
	case <-ctx.Done():
		r.Limited = true
		_ = unix.Kill(-pid, unix.SIGKILL)
		err = <-over
	}
	_ = unix.Kill(-pid, unix.SIGKILL) // what it left
	status, _, rerr := g.children.Reap(pid)
	if err = errors.Join(err, rerr); err != nil {
		return r, err
	}
	if r.Exit = status.ExitStatus(); status.Signaled() {
		r.Exit = 128 + int(status.Signal())
	}
	size, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return r, err
	}
	from := max(0, size-order.MaxOut)
	r.Out = make([]byte, size-from)
	if _, err := out.ReadAt(r.Out, from); err != nil && !errors.Is(err, io.EOF) {
		return r, fmt.Errorf("read what the program said: %w", err)
	}
	return r, nil
}
