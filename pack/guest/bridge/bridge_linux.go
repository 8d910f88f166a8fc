package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/boot"
	"piwork/pack/guest/execution"
	"piwork/pack/guest/port"
	"piwork/vmhost/wire"
)

const (
	// memoryLimit is what a bridge may hold, in bytes: all windows of all streams
	// twice, and itself.
	memoryLimit = 64 << 20
	maxTasks    = 64 // threads

	// openLimit is how long the first bridge may take to listen. The host has
	// plugged the port before it asks, or does so meanwhile.
	openLimit = 15 * time.Second

	// againAfter is how long it takes before another one is started.
	againAfter = 200 * time.Millisecond

	maxStatus = 4 << 10
)

// Config is what a Bridge needs of the agent.
type Config struct {
	Bridge   []string // argv of this program as [Main]
	Children *execution.Children
	Group    *execution.Group // above all programs; nil without one
	Report   func(error)      // hears of bridges that died
}

// Bridge keeps a bridge running once it was opened.
type Bridge struct {
	Config

	mu     sync.Mutex
	opened bool
}

// Open starts the bridge and returns when it listens. When it is open already, or
// an earlier one died, it does nothing: there is another one as soon as the host
// has a port for it.
func (b *Bridge) Open(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened {
		return nil
	}
	bounded, cancel := context.WithTimeoutCause(ctx, openLimit, errors.New("the host does not plug it"))
	defer cancel()
	group, err := b.Group.Child("bridge", false, execution.GroupLimits{Memory: memoryLimit, Pids: maxTasks, OOMGroup: true})
	if err != nil {
		return err
	}
	pid, err := b.start(bounded, group)
	if err != nil {
		return err
	}
	b.opened = true
	go b.keep(context.WithoutCancel(ctx), group, pid)
	return nil
}

// keep starts another bridge after each one.
func (b *Bridge) keep(ctx context.Context, group *execution.Group, pid int) {
	for {
		status, err := b.reap(pid)
		b.Report(fmt.Errorf("the bridge to the host ended: %w", errors.Join(err, describe(status))))
		for {
			select {
			case <-time.After(againAfter):
			case <-ctx.Done():
				return
			}
			if pid, err = b.start(ctx, group); err == nil {
				break
			}
			b.Report(fmt.Errorf("the bridge to the host: %w", err))
		}
	}
}

// start starts a bridge as soon as there is a port, and returns when it listens.
func (b *Bridge) start(ctx context.Context, group *execution.Group) (pid int, err error) {
	var device string
	if err := boot.Await(ctx, "the port "+wire.PortNet, func() bool {
		device, err = port.Find(wire.PortNet)
		return err == nil
	}); err != nil {
		return 0, err
	}
	pid, status, err := b.fork(device, group)
	if err != nil {
		return 0, err
	}
	defer status.Close()
	stop := context.AfterFunc(ctx, func() { _ = unix.Kill(pid, unix.SIGKILL) })
	word, err := io.ReadAll(io.LimitReader(status, maxStatus))
	if stop(); err == nil && string(word) == statusListens {
		return pid, nil
	}
	if len(word) == 0 && err == nil {
		err = errors.New("it ended before it listened")
	}
	if len(word) > 0 {
		err = errors.New(wire.Short(string(word)))
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	_, rerr := b.reap(pid)
	return 0, errors.Join(err, context.Cause(ctx), rerr)
}

// fork starts the process in its group, with the port and a pipe for its status.
func (b *Bridge) fork(device string, group *execution.Group) (pid int, status *os.File, err error) {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("open %s: %w", device, err)
	}
	defer unix.Close(fd)
	status, word, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	defer word.Close()
	attr := &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=2"}, Files: []uintptr{0, 1, 2, uintptr(fd), word.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	if group != nil {
		dir, err := group.Open()
		if err != nil {
			return 0, nil, errors.Join(err, status.Close())
		}
		defer dir.Close()
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
	}
	pid, err = b.Children.Start(func() (int, error) { return syscall.ForkExec(b.Bridge[0], b.Bridge, attr) })
	if err != nil {
		return 0, nil, errors.Join(fmt.Errorf("start the bridge: %w", err), status.Close())
	}
	return pid, status, nil
}

// reap waits for the end of a process.
func (b *Bridge) reap(pid int) (unix.WaitStatus, error) {
	if err := b.Children.AwaitExit(pid); err != nil {
		return 0, err
	}
	status, _, err := b.Children.Reap(pid)
	return status, err
}

func describe(s unix.WaitStatus) error {
	if s.Signaled() {
		return fmt.Errorf("killed by %s", s.Signal())
	}
	return fmt.Errorf("exit code %d", s.ExitStatus())
}
