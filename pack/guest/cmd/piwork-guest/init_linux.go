package main

import (
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
	"piwork/pack/guest/boot"
	"piwork/pack/guest/machine"
	"piwork/pack/guest/port"
	"piwork/vmhost/wire"
)

// answerTime is how long the answer to guest.shutdown has to leave before the
// machine goes off.
const answerTime = 50 * time.Millisecond

// guest is the state of PID 1.
type guest struct {
	log   *boot.Log
	agent *agent.Agent
	boot  string // boot id
	proof bool

	ready   chan struct{}
	rootErr error // before ready is closed
	off     sync.Once
}

// runInit is PID 1; it never returns.
func runInit() {
	g := &guest{log: &boot.Log{Print: say}, ready: make(chan struct{})}
	opts, modules, err := boot.Early(g.log)
	if err != nil {
		say("fatal: " + err.Error())
		select {} // the host sees no sign of life and the line above on the console
	}
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	g.log.Fail("boot id", err)
	g.boot = strings.TrimSpace(string(id))
	g.proof = opts.Root == ""
	g.agent = agent.New(agent.Config{
		Hello: g.hello, Ready: g.ready, RootError: func() error { return g.rootErr }, System: g,
	})
	ctx := context.Background()
	go g.settle(ctx, opts, modules)
	go g.heedSignals(ctx)
	g.serve(ctx)
}

// settle does the second half of the boot beside the answering port.
func (g *guest) settle(ctx context.Context, opts boot.Options, modules []string) {
	err := boot.Root(ctx, g.log, opts, modules)
	g.log.Fail("root", err)
	boot.Settle(g.log)
	g.rootErr = err
	if err == nil && g.proof {
		g.rootErr = errors.New("booted without piwork.root=")
	}
	g.log.Mark("ready")
	close(g.ready)
	if err == nil {
		fmt.Println(wire.ConsoleReady)
	}
}

// serve answers on the port for good, however often the host comes and goes.
func (g *guest) serve(ctx context.Context) {
	for {
		if err := g.stay(ctx); err != nil {
			say("port: " + err.Error())
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
	p, err := port.Open(device)
	if err != nil {
		return err
	}
	defer p.Close()
	g.log.Mark("port")
	for {
		if err := p.AwaitHost(ctx); err != nil {
			return err
		}
		err := g.agent.Converse(ctx, wire.Channel(p, nil))
		if errors.Is(err, port.ErrRemoved) {
			return err
		}
		if err != nil {
			say("conversation ended: " + err.Error())
		}
	}
}

func (g *guest) hello() wire.Hello {
	capabilities := []string{}
	var uts unix.Utsname
	g.log.Fail("uname", unix.Uname(&uts))
	return wire.Hello{
		Version: wire.Version, Agent: version, BootID: g.boot, Kernel: unix.ByteSliceToString(uts.Release[:]),
		Capabilities: capabilities, MarksMS: g.log.Marks(), Errors: g.log.Errors(),
	}
}

// Prepare implements agent.System.
func (g *guest) Prepare(p wire.PrepareParams) error { return machine.Prepare("/", p) }

// Shutdown implements agent.System.
func (g *guest) Shutdown(context.Context) error {
	var err error
	g.off.Do(func() {
		<-time.After(answerTime)
		err = machine.PowerOff()
		if err != nil {
			say(err.Error())
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
		say(err.Error())
	}
}

// say prints a line on the console.
func say(line string) { fmt.Fprintln(os.Stderr, "piwork-guest: "+line) }
