package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Children knows which child processes have an owner in this program. Its zero
// value is ready to use. Every process of the agent is started through it.
type Children struct {
	mu  sync.Mutex
	own map[int]chan struct{} // pid → closed when its owner reaped it
}

// Start calls fork, which starts a process and returns its pid, so that the
// pid has an owner before anyone can see it end.
func (c *Children) Start(fork func() (int, error)) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := fork()
	if err != nil {
		return 0, err
	}
	if c.own == nil {
		c.own = make(map[int]chan struct{})
	}
	c.own[pid] = make(chan struct{})
	return pid, nil
}

// AwaitExit waits until the process is over without reaping it: until [Reap]
// its pid and process group still mean it.
func (c *Children) AwaitExit(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Reap collects a process that [AwaitExit] waited for.
func (c *Children) Reap(pid int) (unix.WaitStatus, unix.Rusage, error) {
	var status unix.WaitStatus
	var usage unix.Rusage
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		_, err := unix.Wait4(pid, &status, 0, &usage)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if done, ok := c.own[pid]; ok {
			close(done)
			delete(c.own, pid)
		}
		return status, usage, err
	}
}

// ReapOrphans reaps processes without an owner until ctx ends. For PID 1.
func (c *Children) ReapOrphans(ctx context.Context) error {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	for {
		for {
			again, err := c.reapOne(ctx)
			if err != nil {
				return err
			}
			if !again {
				break
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
		}
	}
}

// siginfoChild is siginfo_t as waitid(2) fills it on 64-bit Linux.
type siginfoChild struct {
	_   [4]int32 // signo, errno, code, padding
	pid int32
	_   [108]byte
}

// reapOne looks at one ended child. One that has an owner is left to it, and
// waited for, since waitid shows nothing behind it.
func (c *Children) reapOne(ctx context.Context) (again bool, err error) {
	var info siginfoChild
	c.mu.Lock()
	err = unix.Waitid(unix.P_ALL, 0, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	pid := int(info.pid)
	if errors.Is(err, unix.ECHILD) || (err == nil && pid == 0) {
		c.mu.Unlock()
		return false, nil
	}
	if err != nil {
		c.mu.Unlock()
		if errors.Is(err, unix.EINTR) {
			return true, nil
		}
		return false, fmt.Errorf("waitid: %w", err)
	}
	reaped, owned := c.own[pid]
	if !owned {
		_, err = unix.Wait4(pid, nil, unix.WNOHANG, nil)
	}
	c.mu.Unlock()
	if err != nil && !errors.Is(err, unix.EINTR) {
		return false, fmt.Errorf("wait4: %w", err)
	}
	if owned {
		select {
		case <-reaped:
		case <-ctx.Done():
			return false, nil
		}
	}
	return true, nil
}
