package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/agentkit"
	"piwork/pack/guest/boot"
	"piwork/pack/guest/machine"
	"piwork/pack/guest/order"
	"piwork/vmhost/wire"
)

// task is how far the guest is one task's own. guest.warm does what all tasks
// have in common; guest.prepare does only what is left then.
type task struct {
	root   *boot.Root // nil in a proof boot
	names  machine.Names
	layers []wire.Layer // of the root
	made   bool         // the root was put together
	broken error        // that failed: what is half done cannot be undone
	mine   bool         // guest.prepare succeeded
	warmed int          // how often guest.warm was asked
	ids    bool         // the id of the boot is covered
}

// warmRuns are the programs of nearly every task: the shell, pi, whose compiled code
// Node keeps, and the program of operations. That one also reads all of itself: any
// part of it may be what the first operation needs.
func warmRuns() ([]wire.ExecParams, error) {
	hash, err := json.Marshal(order.Order{Tool: wire.ToolParams{ID: "warm", Op: "file.hash", In: []string{order.Program}}})
	if err != nil {
		return nil, err
	}
	pi := map[string]string{}
	for _, v := range agentkit.Env(agentkit.AgentDir) {
		name, value, _ := strings.Cut(v, "=")
		pi[name] = value
	}
	return []wire.ExecParams{
		{Argv: []string{"/bin/sh", "-c", agentkit.Warm}, Env: pi}, {Argv: []string{"/usr/bin/env", "true"}}, {Argv: []string{order.Program}, Stdin: hash},
	}, nil
}

// Warm implements agent.System.
func (g *guest) Warm(ctx context.Context, p wire.WarmParams) (wire.WarmResult, error) {
	began := time.Now()
	marks := map[string]uint64{}
	mark := func(step string) {
		marks[step] = uint64(time.Since(began).Milliseconds())
		began = time.Now()
	}
	if g.proof {
		return wire.WarmResult{}, errors.New("a proof boot has no root")
	}
	g.env.set(p.Locale, p.TimeZone)
	if err := g.assembleRoot(context.WithoutCancel(ctx), nil); err != nil {
		return wire.WarmResult{}, err
	}
	if err := errors.Join(g.names.Fresh(), g.names.Write(p.Hostname, p.TimeZone), g.coverIDs(), machine.OpenRandom()); err != nil {
		return wire.WarmResult{}, err
	}
	mark("root")
	// A guest without these only starts programs later.
	if err := g.warmPrograms(ctx); err != nil {
		g.say(err.Error())
	}
	if err := g.standby.Start(ctx); err != nil {
		g.say(err.Error())
	}
	mark("programs")
	debug.FreeOSMemory()
	unix.Sync()
	mark("sync")
	return wire.WarmResult{MarksMS: marks}, nil
}

// warmPrograms starts programs once, so that what they are made of is in memory.
func (g *guest) warmPrograms(ctx context.Context) error {
	g.warmed++
	runs, err := warmRuns()
	for i, p := range runs {
		p.ID, p.Cwd = fmt.Sprintf("guest.warm:%d:%d", g.warmed, i), "/"
		r, rerr := g.engine.Run(ctx, p)
		if rerr == nil && r.ExitCode != 0 {
			rerr = fmt.Errorf("exit code %d: %s", r.ExitCode, wire.Short(string(r.Stderr)))
		}
		if rerr != nil {
			err = errors.Join(err, fmt.Errorf("warm %s: %w", p.Argv[0], rerr))
		}
	}
	return err
}

// SetClock implements agent.System.
func (g *guest) SetClock(p wire.ClockParams) error { return machine.SetClock(p.UnixNano) }

// Prepare implements agent.System.
func (g *guest) Prepare(ctx context.Context, p wire.PrepareParams) error {
	if err := errors.Join(machine.SetClock(p.UnixNano), machine.AddEntropy(p.Entropy)); err != nil {
		return err
	}
	// A host that leaves meanwhile finds the root when it is back.
	if err := g.assembleRoot(context.WithoutCancel(ctx), p.Layers); err != nil {
		return err
	}
	g.env.set(p.Locale, p.TimeZone)
	if !g.mine {
		if err := g.names.Fresh(); err != nil {
			return err
		}
	}
	if err := errors.Join(g.names.Write(p.Hostname, p.TimeZone), g.coverIDs()); err != nil {
		return err
	}
	g.mine = true
	return nil
}

// coverIDs hides the kernel's id of the boot behind the guest's own.
func (g *guest) coverIDs() error {
	if g.ids {
		return nil
	}
	g.ids = true
	return g.names.CoverBootID()
}

// assembleRoot puts the root together: the first time, and again over a task's
// layers where it was without any.
func (g *guest) assembleRoot(ctx context.Context, layers []wire.Layer) error {
	if g.broken != nil || (g.made && slices.Equal(g.layers, layers)) {
		return g.broken
	}
	if g.mine {
		return errors.New("the root was put together with other layers")
	}
	again := g.made
	g.made, g.layers = true, slices.Clone(layers)
	g.broken = g.root.Assemble(ctx, layers)
	g.stopIfDamaged(g.broken)
	g.log.Fail("root", g.broken)
	g.names.Moved()
	if again && g.broken == nil {
		g.standby.Discard() // it was started of files, and bounded for disks, of before
		g.standby.Renew()
	}
	return g.broken
}
