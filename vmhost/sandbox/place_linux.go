package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/wire"
)

// waitDelay is how long the output of bubblewrap may stay open after its end.
const waitDelay = 5 * time.Second

// place is one bubblewrap with an agent in it.
type place struct {
	dir    string
	groups *Groups
	conn   *connection
	cmd    *exec.Cmd
	said   hosted.Tail
	done   chan struct{}
	exit   error // before done is closed
	serves sync.WaitGroup
	stop   context.CancelFunc // of what waits for a person
	door   func() error       // ends the way to the network; nil before

	mu     sync.Mutex
	lost   error // why it had to end: the folders are served no more, or the disk is full
	ended  bool  // End was called
	reaped bool  // bubblewrap's number may mean another process
}

// open makes the place. The process is started and waited for on one thread: the kernel
// ends it when the thread that started it ends.
func (c *Config) open(ctx context.Context) (_ hosted.Place, err error) {
	bubblewrap, err := c.findBubblewrap()
	if err != nil {
		return nil, err
	}
	p := &place{dir: c.Dir, groups: c.Groups, done: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, sweep(c.Dir))
		}
	}()
	l, err := c.lay()
	if err != nil {
		return nil, err
	}
	if c.Door != nil {
		l.door = filepath.Join(c.Dir, doorName)
	}
	if p.door, err = c.Door.Open(l.door, c.Root, c.Log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.door(), sweep(c.Dir))
		}
	}()
	theirs, err := p.connect()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	argv := commandLine(l, bubblewrap)
	var device *os.File                        // where the opened /dev/fuse comes from
	p.cmd = exec.Command(argv[0], argv[1:]...) //nolint:forbidigo,noctx // it lives longer than ctx, and End ends it
	// The agent that comes before bubblewrap does little: a Go program starts faster so.
	// Bubblewrap clears all of it.
	p.cmd.Dir, p.cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "GOMAXPROCS=1", "GOGC=off"}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs, theirs, &p.said
	p.cmd.WaitDelay = waitDelay
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if l.folders != "" {
		ours, sent, err := socketpair(unix.SOCK_SEQPACKET)
		if err != nil {
			return nil, errors.Join(err, p.conn.Close())
		}
		defer ours.Close()
		defer sent.Close()
		device = ours
		p.cmd.ExtraFiles = []*os.File{sent}
		p.cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
		p.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		p.cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	if err := p.start(); err != nil {
		return nil, errors.Join(denied(err, ""), p.conn.Close())
	}
	p.serves.Go(func() { p.watchSpace(l.work, c.freeSpace) })
	if l.group != "" {
		if err := c.Groups.begin(ctx, l.group, p.cmd.Process.Pid); err != nil {
			return nil, errors.Join(err, p.End(), p.conn.Close())
		}
	}
	if device != nil {
		// The end of the process that was to send it is seen by its end of the socket.
		p.cmd.ExtraFiles[0].Close()
		defer context.AfterFunc(ctx, p.kill)()
		if err := p.serve(device, c.ServeFUSE); err != nil {
			return nil, errors.Join(p.explain(err), p.End(), p.conn.Close())
		}
	}
	return p, nil
}

// findBubblewrap returns the path of bwrap.
func (c *Config) findBubblewrap() (string, error) {
	name := cmp.Or(c.Bubblewrap, "bwrap")
	found, err := exec.LookPath(name)
	if err != nil {
		return "", &vmhost.FailedError{Runtime: runtimeName, Step: hosted.StepPlace, Reason: vmhost.ReasonSandboxMissing, Err: err}
	}
	return filepath.Abs(found)
}

// lay makes the directories of the sandbox, after those that a killed program left.
func (c *Config) lay() (layout, error) {
	l := layout{root: c.Root, agent: c.Agent, work: filepath.Join(c.Dir, workName), state: c.State, most: c.processes, disk: c.Env.Limits.DiskMB << 20}
	if c.Groups.usable() {
		l.group = scopeName()
	}
	memory, err := memoryOfComputer()
	if err != nil {
		return l, err
	}
	l.memory = int64(memory)
	entries, err := os.ReadDir(c.Root)
	if err != nil {
		return l, fmt.Errorf("the tree of the runtime: %w", err)
	}
	for _, e := range entries {
		switch {
		case e.Type()&os.ModeSymlink != 0:
			link, err := os.Readlink(filepath.Join(c.Root, e.Name()))
			if err != nil {
				return l, err
			}
			l.entries = append(l.entries, entry{e.Name(), link})
		case e.IsDir():
			l.entries = append(l.entries, entry{name: e.Name()})
		}
	}
	if err := sweep(c.Dir); err != nil {
		return l, err
	}
	dirs := []string{filepath.Join(l.work, filepath.Base(wire.OutDir))}
	if c.ServeFUSE != nil {
		l.folders = filepath.Join(c.Dir, foldersName)
		dirs = append(dirs, l.folders)
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return l, err
		}
	}
	return l, nil
}

// Names in Config.Dir.
const (
	workName    = "work"    // the scratch
	doorName    = "door"    // the way to the network
	foldersName = "folders" // empty: the folders are mounted on it in another namespace
)

// sweep removes what sandboxes make in a directory, and the directory when nothing else is
// in it. What might be folders of the person it only removes empty.
func sweep(dir string) error {
	err := durable.RemoveAll(filepath.Join(dir, workName))
	if rerr := os.Remove(filepath.Join(dir, foldersName)); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	_ = os.Remove(dir) // it may have what is somebody else's
	return err
}

// socketpair returns two ends of a connection, closed on exec.
func socketpair(kind int) (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "here"), os.NewFile(uintptr(fds[1]), "there"), nil
}

// connect makes the connection to the agent and returns the agent's end.
func (p *place) connect() (*os.File, error) {
	ours, theirs, err := socketpair(unix.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, err
	}
	p.conn = &connection{Conn: conn}
	return theirs, nil
}

// connection is the one to the agent.
type connection struct {
	net.Conn
	spoke atomic.Bool // the agent said something
}

// Read implements net.Conn.
func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.spoke.Store(true)
	}
	return n, err
}

// start starts the process and has it waited for.
func (p *place) start() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // see open
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.awaitExit()
			p.exit = p.cmd.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// awaitExit waits for the end of bubblewrap, and ends what is left of its process group
// while that still has its number.
func (p *place) awaitExit() {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killGroup()
	p.reaped = true
}

// serve takes the device out of the socket and has it served.
func (p *place) serve(from *os.File, serve func(context.Context, *os.File) error) error {
	device, err := receive(from)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.serves.Go(func() {
		defer device.Close()
		err := serve(ctx, device)
		if err == nil {
			err = errors.New("the file server ended")
		}
		p.lose(&vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonShare, Err: err})
	})
	return nil
}

// lose ends the place for a reason of its own, unless it ends already.
func (p *place) lose(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended && !p.reaped && p.lost == nil {
		p.lost = why
		p.killGroup()
	}
}

// receive reads one message with a descriptor, or with the text of an error.
func receive(from *os.File) (*os.File, error) {
	text, rights := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := unix.Recvmsg(int(from.Fd()), text, rights, unix.MSG_CMSG_CLOEXEC)
	switch {
	case err != nil:
		return nil, os.NewSyscallError("recvmsg", err)
	case n == 0:
		return nil, errors.New("it ended before the folders were mounted")
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err == nil && len(messages) == 1 {
		fds, err := unix.ParseUnixRights(&messages[0])
		if err == nil && len(fds) == 1 {
			return os.NewFile(uintptr(fds[0]), "/dev/fuse"), nil
		}
	}
	return nil, notMounted(strings.TrimSpace(string(text[:n])))
}

// notMounted is the error of the process that was to mount the folders. One that may open
// the device and not mount it has a namespace without rights, as Ubuntu's AppArmor gives
// (https://github.com/containers/bubblewrap/issues/632).
func notMounted(text string) error {
	if !strings.HasPrefix(text, "open ") {
		for _, no := range []error{unix.EPERM, unix.EACCES} {
			if strings.HasSuffix(text, no.Error()) {
				return denied(unix.EPERM, text)
			}
		}
	}
	return vmhost.NotMounted(runtimeName, text)
}

// explain gives an error what bubblewrap, or the agent, said of it before the agent spoke: later
// there can be words of programs.
func (p *place) explain(err error) error {
	if p.conn.spoke.Load() {
		return err
	}
	said := p.said.String()
	if p.groups.usable() && notDivided(said) {
		return p.groups.lost(context.Background(), fmt.Errorf("%w: %s", err, strings.TrimSpace(said)))
	}
	return denied(err, said)
}

// What bubblewrap (0.8 to 0.11) and the kernel say where people get no user namespaces.
var denials = []string{
	"No permissions to create new namespace", "No permissions to creating new namespace", "Creating new namespace failed",
	"setting up uid map: Permission denied", "loopback: Failed RTM_NEWADDR: Operation not permitted",
}

// denied tells whether an error is that of a system that gives people no namespaces.
func denied(err error, said string) error {
	no := errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EUSERS)
	for line := range strings.Lines(said) {
		no = no || strings.HasPrefix(line, "bwrap: ") && slices.ContainsFunc(denials, func(s string) bool { return strings.Contains(line, s) })
	}
	if !no {
		return err
	}
	return &vmhost.FailedError{Runtime: runtimeName, Step: hosted.StepPlace, Reason: whyDenied("/proc/sys"), Detail: strings.TrimSpace(said), Err: err}
}

// switches are the settings by which a system gives people no namespaces, with the value that
// does.
var switches = []struct {
	name, value string
	reason      vmhost.Reason
}{
	{"user/max_user_namespaces", "0", vmhost.ReasonSandboxMax},
	{"kernel/unprivileged_userns_clone", "0", vmhost.ReasonSandboxClone},
	{"kernel/apparmor_restrict_unprivileged_userns", "1", vmhost.ReasonSandboxAppArmor},
}

// whyDenied names the setting that is the cause: the first that has to be changed.
func whyDenied(settings string) vmhost.Reason {
	for _, s := range switches {
		if b, err := os.ReadFile(filepath.Join(settings, s.name)); err == nil && strings.TrimSpace(string(b)) == s.value {
			return s.reason
		}
	}
	return vmhost.ReasonSandboxDenied
}

// kill ends everything in the place: bubblewrap takes its first process along, and that
// everything else.
func (p *place) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killGroup()
}

// killGroup is kill with mu held. Until the first process has a session of its own, it does
// not notice bubblewrap's end, and is of its process group.
func (p *place) killGroup() {
	if !p.reaped {
		_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
	}
}

// Conn implements hosted.Place, as do the others.
func (p *place) Conn() net.Conn        { return p.conn }
func (p *place) Done() <-chan struct{} { return p.done }
func (p *place) Evidence() string      { return p.said.String() }

// Exit says how bubblewrap ended, or why it had to.
func (p *place) Exit() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return p.lost
	}
	err := p.exit
	if err == nil {
		err = errors.New("the agent ended")
	}
	return p.explain(err)
}

// End ends what is left and removes the scratch.
func (p *place) End() error {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	if p.stop != nil {
		p.stop() // who waits for a person cannot be killed
	}
	p.kill()
	<-p.done
	p.serves.Wait()
	return errors.Join(p.door(), sweep(p.dir))
}
