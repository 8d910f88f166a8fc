package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// Starter starts processes. Its fields are set once, before the first start.
type Starter struct {
	Launcher  []string      // argv of this program as [Launch]
	Children  *Children     // owner of pids
	UID, GID  int           // whom programs run as; -1 is this process's user, where there is no other
	Writable  []string      // directories below which programs may change files, where the kernel has Landlock; none is no limit
	Processes uint64        // how many processes and threads all of one user may have, where no cgroup bounds them; 0 is no limit
	Tree      string        // below which programs and the interpreters of scripts are looked for that are named by full paths; "" is /
	Runnable  []string      // programs, and directories of programs, that may be started besides those in Writable, where the kernel has Landlock; none is no limit
	Grace     time.Duration // between SIGTERM and SIGKILL; 0 is two seconds
	Report    func(error)   // hears what went wrong while cleaning up; may be nil

	count atomic.Uint64
}

const defaultGrace = 2 * time.Second

func (s *Starter) grace() time.Duration {
	if s.Grace > 0 {
		return s.Grace
	}
	return defaultGrace
}

// Start starts a program in a new cgroup below parent and waits until it runs.
// Ending ctx gives up waiting and ends what was started. Errors are
// *StartError when the program itself is the reason.
func (s *Starter) Start(ctx context.Context, parent *Group, p Program) (*Process, error) {
	group, err := parent.Child("x"+strconv.FormatUint(s.count.Add(1), 10), false, GroupLimits{
		Memory: p.Limits.Memory, Pids: p.Limits.Processes, Processors: p.Limits.Processors, OOMGroup: p.OOMGroup, IO: p.Limits.IO,
	})
	if err != nil {
		return nil, err
	}
	proc := &Process{starter: s, program: p, group: group, done: make(chan struct{}), started: time.Now()}
	if err := proc.start(ctx); err != nil {
		return nil, err
	}
	return proc, nil
}

// pipes are the ends of a start that the agent keeps and those of the child.
type pipes struct {
	stdin, stdout, stderr, spec, status                 *os.File // ours
	childIn, childOut, childErr, childSpec, childStatus *os.File // the launcher's

	controlIn, controlOut           *os.File // ours; nil without control
	childControlIn, childControlOut *os.File // the launcher's

	terminal bool // stdin and stdout are one, the launcher's the other end
}

// newPipes opens them; with terminal the standard streams are one. What the program has
// belongs to the user uid, for it opens its pipes by name, too (/dev/stdout, /proc/self/fd).
func newPipes(terminal *wire.TerminalSize, control bool, uid int) (p *pipes, err error) {
	p = &pipes{terminal: terminal != nil}
	defer func() {
		if err != nil {
			p.closeAll()
		}
	}()
	pairs := []struct{ read, write **os.File }{{&p.childSpec, &p.spec}, {&p.status, &p.childStatus}}
	if terminal == nil {
		pairs = append(pairs, []struct{ read, write **os.File }{{&p.childIn, &p.stdin}, {&p.stdout, &p.childOut}, {&p.stderr, &p.childErr}}...)
	} else if err := p.openTerminal(*terminal); err != nil {
		return nil, err
	}
	if control {
		pairs = append(pairs, []struct{ read, write **os.File }{{&p.childControlIn, &p.controlIn}, {&p.controlOut, &p.childControlOut}}...)
	}
	for _, pair := range pairs {
		if *pair.read, *pair.write, err = os.Pipe(); err != nil {
			return nil, fmt.Errorf("pipe: %w", err)
		}
	}
	if terminal == nil {
		widen(p.stdout)
		widen(p.stderr)
	}
	if uid < 0 {
		return p, nil
	}
	for _, f := range []*os.File{p.childIn, p.childOut, p.childErr, p.childControlIn, p.childControlOut} {
		if f == nil {
			continue
		}
		if err := f.Chown(uid, -1); err != nil {
			return nil, fmt.Errorf("pipe for user %d: %w", uid, err)
		}
	}
	return p, nil
}

// widen gives a pipe pipeSize. A user who has many pipes may be refused it (pipe(7)).
func widen(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

func (p *pipes) child() []*os.File {
	files := []*os.File{p.childIn, p.childOut, p.childErr, p.childSpec, p.childStatus}
	if p.childControlIn != nil {
		files = append(files, p.childControlIn, p.childControlOut) // wire.ControlIn and ControlOut
	}
	return files
}

func (p *pipes) closeChild() { closeFiles(p.child()...) }

func (p *pipes) closeAll() {
	p.closeChild()
	closeFiles(p.stdin, p.stdout, p.stderr, p.spec, p.status, p.controlIn, p.controlOut)
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// fork starts the launcher in the group.
func (s *Starter) fork(p *pipes, group *Group) (int, error) {
	fds := make([]uintptr, 0, 7)
	for _, f := range p.child() {
		fds = append(fds, f.Fd()) // blocking from now on: they are the program's
	}
	attr := &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1", "GOGC=off"}, Files: fds,
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: p.terminal}, // its standard input
	}
	if group != nil {
		dir, err := group.Open()
		if err != nil {
			return 0, err
		}
		defer dir.Close()
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
	}
	return s.Children.Start(func() (int, error) { return syscall.ForkExec(s.Launcher[0], s.Launcher, attr) })
}

// cpuSeconds is a limit for RLIMIT_CPU.
func cpuSeconds(d time.Duration) uint64 { return uint64((d + time.Second - 1) / time.Second) }

// order tells the launcher what to become and waits for its word.
func (s *Starter) order(p *pipes, prog Program) error {
	spec := launchSpec{
		Argv: prog.Argv, Cwd: prog.Cwd, Env: prog.Env, UID: s.UID, GID: s.GID,
		FSize: uint64(prog.Limits.FileSize), Apart: !prog.KeepChildren, Offline: prog.Offline, Programs: prog.Programs, Writable: s.Writable, Processes: s.Processes, Control: prog.Control,
	}
	spec.Tree, spec.Runnable = s.Tree, s.Runnable
	spec.Offline = spec.Offline || s.Tree != "" // the network is that of the computer
	if prog.Limits.CPU > 0 {
		spec.CPU = cpuSeconds(prog.Limits.CPU)
	}
	b, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	// A launcher that died reads nothing: then its status pipe is closed too.
	if _, err = p.spec.Write(b); err == nil {
		err = p.spec.Close()
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("launcher: %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(p.status, maxLaunchSpec))
	if err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	if len(answer) == 0 {
		return nil
	}
	var f launchFailure
	if err := json.Unmarshal(answer, &f); err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	if f.Errno != 0 {
		return &StartError{Step: f.Step, Path: f.Path, Err: syscall.Errno(f.Errno)}
	}
	return &StartError{Step: f.Step, Path: f.Path, Err: errors.New(f.Text)}
}
