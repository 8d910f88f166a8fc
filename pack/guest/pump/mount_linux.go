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

// Pump is a process that waits for the order to mount, or keeps a mount. Its
// methods are for one caller at a time.
type Pump struct {
	pid    int
	orders int           // write end of a pipe, as a plain descriptor: short after a restore
	status int           // read end of a pipe, likewise
	done   chan struct{} // closed when the pump is over and a dead mount detached
	report func(error)

	early wire.MountParams // that is mounted before there is a host; Path is empty without

	mu    sync.Mutex
	path  string // of the mount, once it was ordered
	quiet bool   // that the mount goes away is no news
}

// ErrAnew is that a share mounted early is not what the host serves. It is not
// mounted any more; another pump can mount it.
var ErrAnew = errors.New("the share must be mounted anew")

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
	p := &Pump{pid: pid, orders: order[1], status: status[0], done: make(chan struct{}), report: cfg.Report}
	go p.supervise(cfg.Children)
	return p, nil
}

// Early mounts a share before there is a host, so that [Pump.Mount] with the
// same parameters has less to do. Nothing may use the share until then. On an
// error nothing is mounted, and the pump is over.
func (p *Pump) Early(ctx context.Context, params wire.MountParams) error {
	p.mu.Lock()
	p.quiet = true
	p.mu.Unlock()
	if err := p.order(ctx, params.Path, orderFor(orderEarly, params)); err != nil {
		p.close()
		return err
	}
	p.early = params
	return nil
}

// Mount has the share mounted and waits until it is. It may be called once.
// Ending ctx ends the pump; on an error nothing is mounted.
func (p *Pump) Mount(ctx context.Context, params wire.MountParams) (*Mount, error) {
	defer p.close()
	if p.early.Path == "" {
		if err := p.order(ctx, params.Path, orderFor(orderMount, params)); err != nil {
			return nil, err
		}
		return &Mount{Params: params, pump: p}, nil
	}
	err := fmt.Errorf("mounted early as %+v", p.early)
	if p.early == params {
		err = p.order(ctx, params.Path, string(rune(orderServe)))
	} else {
		p.leave()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrAnew, err)
	}
	p.mu.Lock()
	p.quiet = false
	p.mu.Unlock()
	return &Mount{Params: params, pump: p}, nil
}

// order has the pump do something and waits until it is done. On an error the
// pump is over and nothing is mounted.
func (p *Pump) order(ctx context.Context, path, order string) error {
	p.mu.Lock()
	p.path = path
	p.mu.Unlock()
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	var err error
	if path != wire.FoldersDir { // which every root has
		err = os.MkdirAll(path, 0o755)
	}
	if err == nil {
		// It fits in the pipe. A pump that died reads nothing: its status says so.
		if _, err = unix.Write(p.orders, []byte(order)); errors.Is(err, syscall.EPIPE) {
			err = nil
		}
	}
	if err == nil {
		err = awaitStatus(p.status)
	}
	if err != nil {
		p.kill()
		<-p.done
		return errors.Join(err, ctx.Err())
	}
	return nil
}

// Mounted reports whether the pump keeps a share mounted that no host has yet;
// a nil one does not.
func (p *Pump) Mounted() bool {
	if p == nil || p.early.Path == "" {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// End ends a pump that no host was found for, and unmounts what it mounted.
func (p *Pump) End() {
	p.leave()
	p.close()
}

// leave unmounts what was mounted early and ends the pump.
func (p *Pump) leave() {
	if p.Mounted() {
		stop := time.AfterFunc(exitLimit, p.kill)
		p.say(unmountEarly(p.early.Path))
		stop.Stop()
	}
	p.kill()
	<-p.done
}

// unmountEarly takes a mount away that the pump answers for. What supervises the
// pump may have been first.
func unmountEarly(path string) error {
	if err := unix.Unmount(path, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("detach %s: %w", path, err)
	}
	return nil
}

// close closes the pipes to the pump.
func (p *Pump) close() {
	unix.Close(p.orders)
	unix.Close(p.status)
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
	path, quiet := p.path, p.quiet
	p.mu.Unlock()
	p.say(errors.Join(err, rerr))
	if path == "" || (status.Exited() && status.ExitStatus() == 0) {
		return
	}
	// The mount may not exist (EINVAL): then its making failed and was reported.
	err = unix.Unmount(path, unix.MNT_DETACH)
	if err == nil && !quiet {
		p.say(fmt.Errorf("the share on %s is gone: its pump ended (%s)", path, describe(status)))
	} else if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
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
