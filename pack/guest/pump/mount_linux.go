package pump

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/execution"
	"piwork/vmhost/wire"
)

// exitLimit is how long a pump may take to see that its mount is gone.
const exitLimit = 5 * time.Second

// Mount is a share that a pump keeps mounted.
type Mount struct {
	Params wire.MountParams

	pump *Pump
}

// Pump is a process that waits for the order to mount, or keeps a mount.
type Pump struct {
	pid    int
	order  int           // write end of a pipe, as a plain descriptor: short after a restore
	status int           // read end of a pipe, likewise
	done   chan struct{} // closed when the pump is over and a dead mount detached
	report func(error)

	mu   sync.Mutex
	path string // of the mount, once it was ordered
}

// Config is what a pump needs of the agent.
type Config struct {
	Pump     []string // argv of this program as [Main]
	Children *execution.Children
	Report   func(error) // hears of mounts that died and of failed clean-up
}

// Start starts a pump on a port's device. It has everything ready but the mount
// itself, and does nothing until [Pump.Mount] or [Pump.End].
func Start(cfg Config, device string) (*Pump, error) {
	port, err := os.OpenFile(device, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer port.Close()
	var status, order [2]int
	if err := unix.Pipe2(status[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	defer unix.Close(status[1])
	if err := unix.Pipe2(order[:], unix.O_CLOEXEC); err != nil {
		unix.Close(status[0])
		return nil, fmt.Errorf("pipe: %w", err)
	}
	defer unix.Close(order[0])
	files := []uintptr{0, 1, 2, port.Fd(), uintptr(status[1]), uintptr(order[0])}
	pid, err := cfg.Children.Start(func() (int, error) {
		return syscall.ForkExec(cfg.Pump[0], cfg.Pump, &syscall.ProcAttr{
			Dir: "/", Env: []string{"GODEBUG=asyncpreemptoff=1"}, // no signals into the loops
			Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
		})
	})
	if err != nil {
		unix.Close(status[0])
		unix.Close(order[1])
		return nil, fmt.Errorf("start the pump: %w", err)
	}
	p := &Pump{pid: pid, order: order[1], status: status[0], done: make(chan struct{}), report: cfg.Report}
	go p.supervise(cfg.Children)
	return p, nil
}

// Mount has the share mounted and waits until it is. It may be called once.
// Ending ctx ends the pump; on an error nothing is mounted.
func (p *Pump) Mount(ctx context.Context, params wire.MountParams) (*Mount, error) {
	defer unix.Close(p.status)
	p.mu.Lock()
	p.path = params.Path
	p.mu.Unlock()
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	var err error
	if params.Path != wire.FoldersDir { // which every root has
		err = os.MkdirAll(params.Path, 0o755)
	}
	if err == nil {
		// It fits in the pipe. A pump that died reads nothing: its status says so.
		if _, err = unix.Write(p.order, []byte(orderFor(params))); errors.Is(err, syscall.EPIPE) {
			err = nil
		}
	}
	if err == nil {
		err = awaitStatus(p.status)
	}
	unix.Close(p.order)
	if err != nil {
		p.kill()
		<-p.done
		return nil, errors.Join(err, ctx.Err())
	}
	return &Mount{Params: params, pump: p}, nil
}

// End ends a pump that was given no order.
func (p *Pump) End() {
	unix.Close(p.order)
	unix.Close(p.status)
	p.kill()
	<-p.done
}

// awaitStatus reads until the pump has said everything: one byte when all went
// well. It ends with the pump.
func awaitStatus(fd int) error {
	var b []byte
	for buf := make([]byte, 4<<10); len(b) < maxStatus; {
		n, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the pump's status: %w", err)
		}
		b = append(b, buf[:max(n, 0)]...)
		if n == 0 || b[0] == statusMounted {
			break
		}
	}
	if len(b) == 0 {
		return errors.New("the pump ended before the share was mounted")
	}
	if b[0] == statusMounted {
		return nil
	}
	var st status
	if err := json.Unmarshal(b, &st); err != nil {
		return fmt.Errorf("the pump's status: %w", err)
	}
	if st.Errno != 0 {
		return fmt.Errorf("%s (%w)", st.Text, syscall.Errno(st.Errno))
	}
	return errors.New(st.Text)
}

// supervise reaps the pump and takes a mount away that lost it.
func (p *Pump) supervise(children *execution.Children) {
	defer close(p.done)
	err := children.AwaitExit(p.pid)
	p.mu.Lock()
	status, _, rerr := children.Reap(p.pid)
	p.pid = 0
	path := p.path
	p.mu.Unlock()
	p.say(errors.Join(err, rerr))
	if path == "" || (status.Exited() && status.ExitStatus() == 0) {
		return
	}
	// The mount may not exist (EINVAL): then its making failed and was reported.
	err = unix.Unmount(path, unix.MNT_DETACH)
	if err == nil {
		p.say(fmt.Errorf("the share on %s is gone: its pump ended (%s)", path, describe(status)))
	} else if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		p.say(fmt.Errorf("detach %s: %w", path, err))
	}
}

func describe(s unix.WaitStatus) string {
	if s.Signaled() {
		return s.Signal().String()
	}
	return fmt.Sprintf("exit code %d", s.ExitStatus())
}

func (p *Pump) say(err error) {
	if err != nil && p.report != nil {
		p.report(err)
	}
}

func (p *Pump) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid > 0 { // not reaped
		unix.Kill(p.pid, unix.SIGKILL)
	}
}

// Done is closed when the pump is over.
func (p *Pump) Done() <-chan struct{} { return p.done }

// Done is closed when the share is not mounted any more.
func (m *Mount) Done() <-chan struct{} { return m.pump.done }

// Unmount unmounts the share after everything was written, or fails with EBUSY
// while it is used. When ctx ends first, the pump is killed, which ends every
// call on the share with EIO, and the mount is detached.
func (m *Mount) Unmount(ctx context.Context) error {
	result := make(chan error, 1)
	go func() { result <- unix.Unmount(m.Params.Path, 0) }()
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		m.pump.kill()
		err = errors.Join(ctx.Err(), <-result) // the kernel gives up now that the pump is gone
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("unmount %s: %w", m.Params.Path, err)
	}
	timer := time.AfterFunc(exitLimit, m.pump.kill)
	defer timer.Stop()
	<-m.pump.done
	if err != nil {
		return fmt.Errorf("unmount %s: %w", m.Params.Path, err)
	}
	return nil
}
