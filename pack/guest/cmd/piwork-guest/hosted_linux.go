package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/agent"
	"piwork/pack/guest/execution"
	"piwork/pack/guest/landlock"
	"piwork/pack/guest/order"
	"piwork/vmhost/wire"
)

// How many processes and threads there may be in a place that has its own numbers of them,
// when whoever started the agent says nothing else. The agent's count too; it has some that
// programs cannot take, so that it outlives whoever takes all others.
const (
	hostedProcesses = 2048
	hostedReserve   = 128
)

// errNoMachine is the answer to what only a machine can do.
var errNoMachine = errors.New("this agent runs as a program and not in a machine of its own")

// hosted is the agent as an ordinary program: in a sandbox, in a container, on another
// computer. The place was made by whoever started it, with its files and its network; the
// agent mounts nothing, has no devices and becomes no other user. It has one conversation,
// on its standard input and output, and ends with it.
type hosted struct {
	agent  *agent.Agent
	engine *execution.Engine
	lines  *agent.Logger
	env    environment
	elsewhere
	off  sync.Once
	over chan struct{} // closed by Shutdown, when everything has ended

	processes uint64           // how many programs may have; 0 is no limit
	bounds    *execution.Group // above all programs; nil where nobody gave this agent a cgroup
}

// runHosted is the whole of such a process.
func runHosted(args []string) int {
	h := &hosted{lines: agent.NewLogger(), over: make(chan struct{})}
	in, out, err := conversation()
	if err == nil {
		err = h.parse(args)
	}
	if err == nil {
		err = h.settle()
	}
	if err != nil {
		h.say("fatal: " + err.Error())
		return 1
	}
	// It ends with the process: whoever waits for a program hears that it was ended, or that
	// the agent is gone, and not of a context.
	ctx := context.Background()
	h.assemble(ctx)
	go h.lines.Send(ctx, h.agent.Notify)
	ended := make(chan error, 1)
	go func() { ended <- h.agent.Converse(ctx, wire.Accept(bufio.NewReaderSize(in, readAhead), out, out)) }()
	stop := make(chan os.Signal, 1)
	if os.Getpid() != 1 {
		signal.Notify(stop, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	} else {
		// Whoever made the place ends it by force; a program in it is not to. They are heard
		// and not ignored: programs would inherit that.
		signal.Notify(make(chan os.Signal, 1), unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGABRT, unix.SIGTRAP, unix.SIGSYS, unix.SIGSTKFLT)
	}
	select {
	case err = <-ended: // the host has left
	case <-stop:
	case <-h.over:
		return 0
	}
	if err != nil {
		h.say("conversation ended: " + err.Error())
	}
	_ = h.Shutdown(ctx) // it returns none
	return 0
}

// conversation takes the standard input and output away, so that no program gets hold of
// them.
func conversation() (in, out *os.File, err error) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", os.DevNull, err)
	}
	defer unix.Close(null)
	var files [2]*os.File
	for fd := range files {
		kept, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err == nil {
			err = unix.SetNonblock(kept, true) // a read ends with the program's end, not after it
		}
		if err == nil {
			err = unix.Dup3(null, fd, 0)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("standard stream %d: %w", fd, err)
		}
		files[fd] = os.NewFile(uintptr(kept), "host")
	}
	return files[0], files[1], nil
}

// settle makes this process one that programs of the same user cannot reach into, and that
// inherits what they leave behind.
func (h *hosted) settle() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the agent's memory: %w", err)
	}
	if os.Getpid() != 1 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("inherit orphans: %w", err)
		}
		h.processes = h.room()
		return nil
	}
	if err := h.ownGroup(); err != nil {
		return err
	}
	// A scratch that is in memory begins empty.
	if slices.Contains(h.writable, wire.WorkDir) {
		if err := os.MkdirAll(wire.OutDir, 0o755); err != nil {
			return fmt.Errorf("the directory of results: %w", err)
		}
	}
	// Where users have numbers of their own, so have processes. In a container whose engine
	// has the rights of root they are those of the computer, and the engine bounds them.
	if users, err := os.ReadFile("/proc/self/uid_map"); err == nil && usersOfComputer(string(users)) {
		return nil
	}
	h.processes = h.most
	limit := syscall.Rlimit{Cur: h.most + hostedReserve, Max: h.most + hostedReserve}
	var now syscall.Rlimit
	if syscall.Getrlimit(unix.RLIMIT_NPROC, &now) == nil {
		limit.Max = min(limit.Max, now.Max)
		limit.Cur = min(limit.Cur, limit.Max)
	}
	if err := syscall.Setrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
		return fmt.Errorf("bound processes: %w", err)
	}
	return nil
}

// ownGroup makes the cgroup above all programs, where this agent has one to make it in.
func (h *hosted) ownGroup() (err error) {
	if h.group != "" {
		h.bounds, err = execution.NewGroup(filepath.Join(h.group, "all"), execution.GroupLimits{Pids: int(h.most)})
	}
	return err
}

// usersOfComputer tells whether a uid_map is that of no user namespace.
func usersOfComputer(uidMap string) bool {
	return slices.Equal(strings.Fields(uidMap), []string{"0", "0", "4294967295"})
}

// assemble joins the parts of the agent.
func (h *hosted) assemble(ctx context.Context) {
	report := func(err error) { h.say(err.Error()) }
	children := &execution.Children{}
	go func() {
		if err := children.ReapOrphans(ctx); err != nil && ctx.Err() == nil {
			h.say("reaping orphans: " + err.Error())
		}
	}()
	starter := &execution.Starter{
		Launcher: []string{self, partLaunch}, Children: children, UID: -1, GID: -1, Writable: h.writable, Processes: h.processes, Report: report,
		Tree: h.tree, Runnable: h.runnable,
	}
	h.engine = execution.NewEngine(execution.Config{
		Starter: starter, Group: h.bounds, Env: h.words, Cwd: h.at(wire.WorkDir),
		Notify: func(ctx context.Context, o wire.ExecOutput) error {
			return h.agent.NotifyOutput(ctx, o)
		},
		Log: h.lines.Log,
	})
	ready := make(chan struct{})
	close(ready)
	h.agent = agent.New(agent.Config{
		Hello: h.hello, Ready: ready, RootError: func() error { return nil },
		System: h, Exec: h.engine, Shares: noShares{}, Links: h,
		Tools: &agent.Tools{
			Starter: starter, Group: h.bounds, Operate: []string{h.at(order.Program)}, Scratch: h.at(os.TempDir()), Env: ofSystem(h.words), Report: report, Log: h.lines.Log,
			Versions: toolVersions(h.at(packageList), report),
			Notify:   func(ctx context.Context, method string, params any) error { return h.agent.Notify(ctx, method, params) },
		},
	})
}

func (h *hosted) hello() wire.Hello {
	hello := wire.Hello{
		Version: wire.Version, Agent: version, MarksMS: map[string]uint64{},
		Capabilities: []string{wire.CanExec, wire.CanSession, wire.CanTerminal, wire.CanControl, wire.CanDoor},
	}
	if _, err := os.Stat(h.at(order.Program)); err == nil {
		hello.Capabilities = append(hello.Capabilities, wire.CanAct)
		// On a computer itself only Landlock keeps what an operation starts from the person's files;
		// operations move files.
		if h.tree == "" || landlock.Version() > 0 {
			hello.Capabilities = append(hello.Capabilities, wire.CanTool)
		}
	}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		hello.BootID = strings.TrimSpace(string(id))
	}
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		hello.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	return hello
}

// Prepare implements agent.System: time, randomness and names are the place's.
func (h *hosted) Prepare(_ context.Context, p wire.PrepareParams) error {
	if len(p.Layers) > 0 {
		return errNoMachine
	}
	h.env.set(p.Locale, p.TimeZone)
	return nil
}

// Warm implements agent.System.
func (h *hosted) Warm(context.Context, wire.WarmParams) (wire.WarmResult, error) {
	return wire.WarmResult{}, errNoMachine
}

// SetClock implements agent.System.
func (h *hosted) SetClock(wire.ClockParams) error { return errNoMachine }

// Shutdown implements agent.System: it ends all programs, and then this one.
func (h *hosted) Shutdown(ctx context.Context) error {
	h.off.Do(func() {
		programs, cancel := context.WithTimeout(ctx, programTime)
		defer cancel()
		h.engine.Close(programs)
		close(h.over)
	})
	<-h.over
	return nil
}

// say writes a line for whoever started this program, and tells the host.
func (h *hosted) say(line string) {
	_, _ = io.WriteString(os.Stderr, "piwork-guest: "+line+"\n")
	h.lines.Log(wire.LogLine{Level: "warn", Text: line})
}

// noShares: the folders are in the place before the agent is.
type noShares struct{}

func (noShares) Mount(context.Context, wire.MountParams) error { return errNoMachine }
func (noShares) Unmount(context.Context, string) error         { return errNoMachine }

// Gateway implements agent.Links: there is none, and no cache.
func (*hosted) Gateway(context.Context) error { return errNoMachine }

// Cache implements agent.Links.
func (*hosted) Cache(context.Context, wire.CacheParams) error { return errNoMachine }
