package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/agent"
	"piwork/pack/guest/authority"
	"piwork/pack/guest/boot"
	"piwork/pack/guest/bridge"
	"piwork/pack/guest/card"
	"piwork/pack/guest/execution"
	"piwork/pack/guest/machine"
	"piwork/pack/guest/port"
	"piwork/pack/guest/verity"
	"piwork/vmhost/wire"
)

// How long the end of the guest may take: for the answer to guest.shutdown to
// leave, for programs to end, for the share to be written back.
const (
	answerTime  = 50 * time.Millisecond
	programTime = 5 * time.Second
	shareTime   = 10 * time.Second
)

// readAhead is how much is read from the port at a time, in bytes.
const readAhead = 64 << 10

// guest is the state of PID 1.
type guest struct {
	log     *boot.Log
	lines   *agent.Logger
	agent   *agent.Agent
	engine  *execution.Engine
	shares  *agent.Shares
	bridge  *bridge.Bridge
	env     environment
	bootID  string
	kernel  string
	opts    boot.Options
	proof   bool
	standby *execution.Standby
	task    // what guest.warm and guest.prepare did

	groupErr error // there is no cgroup to run programs in

	ready   chan struct{}
	rootErr error // before ready is closed
	off     sync.Once
}

// runInit is PID 1. It returns only when the machine cannot be made reachable;
// then the kernel panics, which ends the machine.
func runInit() {
	g := &guest{lines: agent.NewLogger(), ready: make(chan struct{})}
	g.log = &boot.Log{Print: g.say}
	opts, late, err := boot.Early(g.log)
	if err != nil {
		g.say("fatal: " + err.Error())
		return
	}
	ctx := context.Background()
	g.identify()
	g.opts, g.proof = opts, opts.Root == ""
	g.assemble(ctx)
	go g.lines.Send(ctx, g.agent.Notify)
	go g.settle(ctx, late)
	go g.heedSignals(ctx)
	g.serve(ctx)
}

// identify reads what hello tells, before the root moves.
func (g *guest) identify() {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	g.log.Fail("boot id", err)
	g.bootID = strings.TrimSpace(string(id))
	var uts unix.Utsname
	g.log.Fail("uname", unix.Uname(&uts))
	g.kernel = unix.ByteSliceToString(uts.Release[:])
}

// settle does the second half of the boot beside the answering port. late are the
// kernel's modules for it.
func (g *guest) settle(ctx context.Context, late []string) {
	if !g.proof {
		boot.LoadModules(g.log, late)
	}
	root, err := boot.OpenBase(ctx, g.log, g.opts)
	g.root = root
	g.stopIfDamaged(err)
	g.log.Fail("root", err)
	boot.Settle(g.log)
	if err == nil && !g.proof {
		err = g.groupErr
		g.log.Fail("programs", err)
	}
	g.rootErr = err
	if err == nil && g.proof {
		g.rootErr = errors.New("booted without piwork.root=")
	}
	g.log.Mark("ready")
	close(g.ready)
	if err == nil {
		fmt.Fprintln(os.Stdout, wire.ConsoleReady)
	}
}

// serve answers on the port for good, however often the host comes and goes.
func (g *guest) serve(ctx context.Context) {
	for {
		if err := g.stay(ctx); err != nil {
			g.say("port: " + err.Error())
		}
	}
}

// stay opens the port and serves conversations until the port is gone.
func (g *guest) stay(ctx context.Context) error {
	var device string
	if err := boot.Await(ctx, wire.PortRPC, func() bool {
		d, err := port.Find(wire.PortRPC)
		device = d
		return err == nil
	}); err != nil {
		return err
	}
	p, err := port.Open(ctx, device)
	if err != nil {
		return err
	}
	defer p.Close()
	g.log.Mark("port")
	in := bufio.NewReaderSize(p, readAhead)
	for {
		err := g.agent.Converse(ctx, wire.Accept(in, p, nil))
		if errors.Is(err, port.ErrRemoved) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			g.say("conversation ended: " + err.Error())
		}
	}
}

func (g *guest) hello() wire.Hello {
	h := wire.Hello{
		Version: wire.Version, Agent: version, BootID: g.bootID, Kernel: g.kernel,
		Capabilities: []string{}, MarksMS: g.log.Marks(), Errors: g.log.Errors(),
	}
	if !g.proof {
		h.Capabilities = append(h.Capabilities, wire.CanExec, wire.CanSession, wire.CanTool,
			wire.CanWarm, wire.CanClock, wire.CanPrepareMount, wire.CanMountState,
			wire.CanGateway, wire.CanNetwork, wire.CanCache, wire.CanOwner, wire.CanTerminal, wire.CanAct, wire.CanControl, wire.CanAuthority)
		if agent.CanMountDevice(wire.KindVirtioFS) {
			h.Capabilities = append(h.Capabilities, wire.CanMountVirtioFS)
		}
		if agent.CanMountDevice(wire.KindVirtio9P) {
			h.Capabilities = append(h.Capabilities, wire.CanMountVirtio9P)
		}
	}
	return h
}

// Gateway implements agent.Links.
func (g *guest) Gateway(ctx context.Context) error { return g.bridge.Open(ctx) }

// Network implements agent.Links.
func (g *guest) Network(ctx context.Context, p wire.NetworkParams) error {
	if p.Authority != "" {
		if err := authority.Believe("/", p.Authority); err != nil {
			return err
		}
		g.env.addWords(authority.Words("/"))
	}
	return card.SetUp(ctx, p)
}

// Cache implements agent.Links. Only what runs for the task finds it in its environment:
// operations work with what the pack has.
func (g *guest) Cache(ctx context.Context, p wire.CacheParams) error {
	if err := boot.MountCache(ctx, p); err != nil {
		return err
	}
	g.env.addWords(cacheWords)
	return nil
}

// stopIfDamaged ends the machine when an image is not what it should be:
// nothing in it is to be trusted, and nobody waits for an answer from it.
func (g *guest) stopIfDamaged(err error) {
	if !errors.Is(err, verity.ErrDamaged) {
		return
	}
	fmt.Fprintln(os.Stdout, wire.ConsoleDamaged+err.Error())
	if err := machine.PowerOff(); err != nil {
		g.say(err.Error())
	}
}

// Shutdown implements agent.System.
func (g *guest) Shutdown(ctx context.Context) error {
	var err error
	g.off.Do(func() {
		<-time.After(answerTime)
		programs, cancel := context.WithTimeout(ctx, programTime)
		g.standby.Close()
		g.engine.Close(programs)
		cancel()
		share, cancel := context.WithTimeout(ctx, shareTime)
		if serr := g.shares.Close(share); serr != nil {
			g.say(serr.Error())
		}
		cancel()
		if cerr := boot.UnmountCache(); cerr != nil {
			g.say(cerr.Error())
		}
		if err = machine.PowerOff(); err != nil {
			g.say(err.Error())
		}
	})
	return err
}

// heedSignals ends the machine on the signals that mean so to an init.
func (g *guest) heedSignals(ctx context.Context) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGTERM, unix.SIGINT, unix.SIGPWR)
	<-c
	if err := g.Shutdown(ctx); err != nil {
		g.say(err.Error())
	}
}

// say prints a line on the console and tells the host.
func (g *guest) say(line string) {
	fmt.Fprintln(os.Stderr, "piwork-guest: "+line)
	g.lines.Log(wire.LogLine{Level: "warn", Text: line})
}
