package pump

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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

	pid    int
	device string
	done   chan struct{} // closed when the pump is over and a dead mount detached
	report func(error)
}

// Config is what [Start] needs of the agent.
type Config struct {
	Pump     []string // argv of this program as [Main], the order is appended
	Children *execution.Children
	Report   func(error) // hears of mounts that died and of failed clean-up
}

// Start opens the port's device, starts a pump on it and waits until the share
// is mounted. Ending ctx ends the pump; on an error nothing is mounted.
func Start(ctx context.Context, cfg Config, device string, p wire.MountParams) (*Mount, error) {
	if err := os.MkdirAll(p.Path, 0o755); err != nil {
		return nil, err
	}
	order, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	port, err := os.OpenFile(device, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	statusRead, statusWrite, err := os.Pipe()
	if err != nil {
		port.Close()
		return nil, err
	}
	defer statusRead.Close()
	argv := append(append([]string{}, cfg.Pump...), string(order))
	pid, err := cfg.Children.Start(func() (int, error) {
		return syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
			Dir: "/", Env: []string{"GODEBUG=asyncpreemptoff=1"}, // no signals into the loops
			Files: []uintptr{0, 1, 2, port.Fd(), statusWrite.Fd()},
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
	})
	port.Close()
	statusWrite.Close()
	if err != nil {
		return nil, fmt.Errorf("start the pump: %w", err)
	}
	m := &Mount{Params: p, pid: pid, device: device, done: make(chan struct{}), report: cfg.Report}
	go m.supervise(cfg.Children)

	stop := context.AfterFunc(ctx, m.kill)
	defer stop()
	if err := awaitStatus(statusRead); err != nil {
		m.kill()
		<-m.done
		return nil, errors.Join(err, ctx.Err())
	}
	return m, nil
}

func awaitStatus(f *os.File) error {
	b, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return errors.New("the pump ended before the share was mounted")
	}
	var st status
	if err := json.Unmarshal(b, &st); err != nil {
		return fmt.Errorf("the pump's status: %w", err)
	}
	switch {
	case st.OK:
		return nil
	case st.Errno != 0:
		return fmt.Errorf("%s (%w)", st.Text, syscall.Errno(st.Errno))
	}
	return errors.New(st.Text)
}

// supervise reaps the pump and takes a mount away that lost it.
func (m *Mount) supervise(children *execution.Children) {
	defer close(m.done)
	err := children.AwaitExit(m.pid)
	status, _, rerr := children.Reap(m.pid)
	m.say(errors.Join(err, rerr))
	if status.Exited() && status.ExitStatus() == 0 {
		return
	}
	// The mount may not exist (EINVAL): then its making failed and was reported.
	err = unix.Unmount(m.Params.Path, unix.MNT_DETACH)
	if err == nil {
		m.say(fmt.Errorf("the share on %s is gone: its pump ended (%s)", m.Params.Path, describe(status)))
	} else if !errors.Is(err, unix.EINVAL) {
		m.say(fmt.Errorf("detach %s: %w", m.Params.Path, err))
	}
}

func describe(s unix.WaitStatus) string {
	if s.Signaled() {
		return s.Signal().String()
	}
	return fmt.Sprintf("exit code %d", s.ExitStatus())
}

func (m *Mount) say(err error) {
	if err != nil && m.report != nil {
		m.report(err)
	}
}

func (m *Mount) kill() {
	select {
	case <-m.done:
	default:
		unix.Kill(m.pid, unix.SIGKILL)
	}
}

// Done is closed when the share is not mounted any more.
func (m *Mount) Done() <-chan struct{} { return m.done }

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
		m.kill()
		err = errors.Join(ctx.Err(), <-result) // the kernel gives up now that the pump is gone
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("unmount %s: %w", m.Params.Path, err)
	}
	timer := time.AfterFunc(exitLimit, m.kill)
	defer timer.Stop()
	<-m.done
	if err != nil {
		return fmt.Errorf("unmount %s: %w", m.Params.Path, err)
	}
	return nil
}
