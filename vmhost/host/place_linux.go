package host

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/folders"
	"piwork/vmhost/wire"
)

// Names in Config.Dir, besides those of the task's directories.
const (
	tmpName  = "tmp"
	homeName = "home"
)

const (
	waitDelay = 5 * time.Second  // how long the output of the agent may stay open after its end
	endTime   = 20 * time.Second // how long everything in a place has to end, once it is killed
	serveTime = 10 * time.Second // how long the file server has to end after its mount has
)

// Programs of this computer that may be started in every place: their paths are in others.
var trampolines = []string{"/bin/sh", "/usr/bin/env"}

// devices in which programs may write.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// place is one agent on this computer.
type place struct {
	cfg    *Config
	conn   net.Conn
	cmd    *exec.Cmd
	said   hosted.Tail
	done   chan struct{}
	exit   error              // before done is closed
	mount  string             // "" without folders
	served chan struct{}      // closed when nothing is served any more
	stop   context.CancelFunc // of what waits for a person

	mu     sync.Mutex
	lost   error // the folders are served no more
	ended  bool  // End was called
	reaped bool  // the number of the process may mean another one
}

// open makes the place, unless this program is root's: what a task did would be done to the
// whole computer, and nobody bounds the processes of root.
func (c *Config) open(ctx context.Context) (_ hosted.Place, err error) {
	if os.Geteuid() == 0 {
		return nil, &vmhost.FailedError{Runtime: runtimeName, Step: hosted.StepPlace, Reason: vmhost.ReasonHostRoot}
	}
	p := &place{cfg: c, done: make(chan struct{})}
	for _, step := range []func(context.Context) error{p.lay, p.serveFolders, p.start} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, p.clear())
		}
	}
	return p, nil
}

// lay makes the directories, after those that a killed program left.
func (p *place) lay(context.Context) error {
	c := p.cfg
	if _, err := os.Stat(filepath.Join(c.Root, "bin/sh")); err != nil {
		return fmt.Errorf("the environment: %w", err)
	}
	endLeft(c.Dir)
	err := folders.Clear(filepath.Dir(c.Dir))
	if err == nil {
		err = sweep(c.Dir)
	}
	for _, dir := range []string{p.at(wire.OutDir), filepath.Join(c.Dir, tmpName), filepath.Join(c.Dir, homeName)} {
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
	}
	return err
}

// at is where a directory of the task is.
func (p *place) at(name string) string { return paths{p.cfg.Dir}.here(name) }

// sweep removes what places make in a directory, and the directory when nothing else is in
// it. What might be folders of the person it only removes empty.
func sweep(dir string) error {
	var errs []error
	for _, name := range []string{filepath.Base(wire.WorkDir), tmpName, homeName} {
		errs = append(errs, durable.RemoveAll(filepath.Join(dir, name)))
	}
	for _, name := range []string{filepath.Base(wire.StateDir), filepath.Base(wire.FoldersDir)} { // a link, and a mount that is gone
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	_ = os.Remove(dir) // it may have what is somebody else's
	return errors.Join(errs...)
}

// serveFolders mounts the folders.
func (p *place) serveFolders(ctx context.Context) error {
	c := p.cfg
	if c.ServeFUSE == nil {
		return nil
	}
	at := p.at(wire.FoldersDir)
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	device, err := folders.Mount(ctx, at, false)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return vmhost.NotMounted(runtimeName, err.Error())
	}
	p.mount, p.served = at, make(chan struct{})
	serving, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		defer close(p.served)
		defer device.Close()
		err := c.ServeFUSE(serving, device)
		if err == nil {
			err = errors.New("the file server ended")
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended {
			p.lost = &vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonShare, Err: err}
			p.signal(unix.SIGTERM)
		}
	}()
	if c.State {
		return os.Symlink(filepath.Join(at, wire.StateName), p.at(wire.StateDir))
	}
	return nil
}

// arguments is the command line, with the keeper's first.
func (p *place) arguments() []string {
	c := p.cfg
	argv := []string{c.Agent, "kept", c.Agent, "serve", "--tree", c.Root, "--place", c.Dir}
	if c.processes > 0 {
		argv = append(argv, "--processes", strconv.Itoa(c.processes))
	}
	for _, program := range runnable(trampolines) {
		argv = append(argv, "--run", program)
	}
	argv = append(argv, "--", p.at(wire.WorkDir), filepath.Join(c.Dir, tmpName), filepath.Join(c.Dir, homeName))
	if p.mount != "" {
		argv = append(argv, p.mount)
	}
	return append(argv, devices...)
}

// runnable are programs of this computer with the interpreters that the kernel starts them by.
func runnable(programs []string) (all []string) {
	for _, program := range programs {
		all = append(all, program)
		f, err := elf.Open(program)
		if err != nil {
			continue // there is none
		}
		if s := f.Section(".interp"); s != nil {
			if b, err := s.Data(); err == nil {
				all = append(all, strings.TrimRight(string(b), "\x00"))
			}
		}
		f.Close()
	}
	return all
}

// start starts the agent and has it waited for, on one thread: the kernel ends the process
// when the thread ends that started it.
func (p *place) start(context.Context) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "here"), os.NewFile(uintptr(fds[1]), "there")
	defer ours.Close()
	defer theirs.Close()
	if p.conn, err = net.FileConn(ours); err != nil {
		return err
	}
	argv := p.arguments()
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:forbidigo,noctx // it lives longer than ctx, and End ends it
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, &p.said
	cmd.WaitDelay = waitDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setsid: true}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.mu.Lock()
			p.cmd = cmd
			p.mu.Unlock()
		}
		started <- err
		if err == nil {
			p.awaitExit()
			within(leftTime, func() { endLeft(p.cfg.Dir) })
			p.exit = p.cmd.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// awaitExit waits for the end of the keeper, and ends the agent where it is left.
func (p *place) awaitExit() {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
	p.reaped = true
}

// signal signals the keeper, with mu held.
func (p *place) signal(s unix.Signal) {
	if p.cmd != nil && !p.reaped {
		_ = unix.Kill(p.cmd.Process.Pid, s)
	}
}

// Conn implements hosted.Place, as do the others.
func (p *place) Conn() net.Conn        { return p.conn }
func (p *place) Done() <-chan struct{} { return p.done }
func (p *place) Evidence() string      { return p.said.String() }

// Exit says how the agent ended, or why it had to.
func (p *place) Exit() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.lost != nil:
		return p.lost
	case p.exit == nil:
		return errors.New("the agent ended")
	}
	return p.exit
}

// End ends what is left, and removes it.
func (p *place) End() error { return p.clear() }

// clear ends the processes, then the mount, and removes the directories.
func (p *place) clear() error {
	p.mu.Lock()
	p.ended = true
	running := p.cmd != nil
	p.signal(unix.SIGTERM)
	p.signal(unix.SIGCONT) // a program can stop it before Linux 6.12
	p.mu.Unlock()
	if p.stop != nil {
		p.stop() // who waits for a person cannot be killed
	}
	if running {
		select {
		case <-p.done:
		case <-time.After(endTime):
			p.mu.Lock()
			p.signal(unix.SIGKILL)
			p.mu.Unlock()
			<-p.done
		}
	} else if p.conn != nil {
		_ = p.conn.Close()
	}
	var err error
	if p.mount != "" {
		if err := folders.Unmount(p.mount, true); err != nil {
			return err
		}
		select {
		case <-p.served:
		case <-time.After(serveTime):
			err = errors.New("the folders are still served")
		}
	}
	return errors.Join(err, sweep(p.cfg.Dir))
}
