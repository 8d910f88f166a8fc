package tasks

import (
	"context"
	"fmt"

	"piwork/app/agent/program"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// work is the life of a task between queued and its end.
func (l *Live) work() error {
	if err := choosePlace(l); err != nil {
		return err
	}
	switch l.req.Kind {
	case task.KindChore:
		return l.workChore()
	case task.KindExec:
		return l.workExec()
	case task.KindTool:
		return l.workTool()
	case task.KindAI:
		return l.workAI()
	default:
		return problem.New(problem.CodeUnsupported).With("what", string(l.req.Kind))
	}
}

// prepare finds out what the task runs on: a verified pack and a proven
// accelerator.
func (l *Live) prepare() error {
	rep, machine, err := l.c.o.Health.Ready(l.ctx, l.req.Accel == string(qemu.AccelTCG))
	if err != nil {
		return err
	}
	if err := l.hold(machine); err != nil {
		return err
	}
	if err := l.needs(addOnsOf(l.req)); err != nil {
		return err
	}
	l.Later(func(t *task.Task) { t.Pack, t.Accel = machine.Pack.State.Version, rep.Accel.Kind })
	return nil
}

// addOnsOf are the add-ons without which a request can do nothing.
func addOnsOf(r StartRequest) []string {
	switch r.Kind {
	case task.KindChore:
		if ch, ok := FindChore(r.Chore); ok {
			return ch.Info().Needs
		}
	case task.KindTool:
		if op, ok := tools.Find(r.Tool.Op); ok {
			return op.AddOns()
		}
	case task.KindAI:
		return program.AddOns(r.Program)
	}
	return nil
}

// hold keeps what the task runs on where it is until the task is over, whatever
// is updated or removed meanwhile.
func (l *Live) hold(m setup.Machine) error {
	if m.Pack.Lease != nil {
		release, err := m.Pack.Lease(l.ctx)
		if err != nil {
			return err
		}
		l.release = release
	}
	l.machine = m
	return nil
}

// workExec runs a program.
func (l *Live) workExec() error {
	return l.inEnvironment(false, func(b *environment) error {
		if err := b.open(l.ctx); err != nil {
			return err
		}
		l.begin(task.StateRunning)
		l.step("run")
		defer l.room.lend(b)()
		if l.req.Open {
			l.startClock()
			return l.c.o.Kinds.Sessions.Stay(l.ctx, l.id)
		}
		obs, err := b.Execute(l.ctx, vmhost.Action{
			Exec: &wire.ExecParams{
				ID: l.id, Argv: l.req.Argv, Cwd: l.req.Cwd, Env: l.req.Env, Stdin: l.req.Stdin, Limits: l.req.Limits, Terminal: l.req.Terminal,
			},
			Input: l.prog.Input(), Resize: l.prog.Sizes(),
			OnOutput: func(o wire.ExecOutput) {
				l.prog.Output(l.ctx, o.Stream, o.Data)
				if !l.req.streams() {
					l.tellOutput(o)
				}
			},
		})
		if err != nil {
			return err
		}
		l.prog.Awaited(l.ctx)
		if _, err := l.Update(func(t *task.Task) {
			t.ExitCode, t.CPUMS, t.PeakKB = &obs.Exec.ExitCode, obs.Exec.CPUMS, obs.Exec.PeakKB
		}); err != nil {
			return err
		}
		if p := problem.FromEnd(*obs.Exec); p != nil {
			return p
		}
		return nil
	})
}

// workTool runs one operation of the pack.
func (l *Live) workTool() error {
	return l.inEnvironment(false, func(b *environment) error {
		if err := b.open(l.ctx); err != nil {
			return err
		}
		l.begin(task.StateRunning)
		l.step("run")
		p := l.req.operation(l.id)
		m := newToolMeter(l, p)
		defer l.c.keepRates()
		broken, err := chore.AskBefore(l.ctx, chore.Env{Execute: m.execute(b), Ask: l.askYes}, p)
		if err != nil {
			return err
		}
		if broken != nil {
			l.addProblems([]problem.Problem{*broken})
			return problem.New(problem.CodeNothingLeft).With("count", 1)
		}
		obs, err := m.execute(b)(l.ctx, vmhost.Action{Tool: &p, OnProgress: m.told(p), OnOutput: l.tellOutput})
		if err != nil {
			return err
		}
		return l.toolEnded(b, *obs.Tool)
	})
}

// toolEnded records what an operation made and what it could not do. It failed
// when it made nothing and says why, or when a problem is of no single input.
func (l *Live) toolEnded(b *environment, r wire.ToolResult) error {
	var whole *problem.Problem
	var items []problem.Problem
	for _, tp := range r.Problems {
		p := problem.FromTool(tp)
		if tp.Path == "" && tp.Code != tools.MoreResults && whole == nil { // that one says that others were left out
			whole = p.Weigh(problem.Failed)
			continue
		}
		items = append(items, *p)
	}
	l.addProblems(items)
	results, err := b.keepResults(r.Out)
	if err != nil {
		return err
	}
	l.addResults(results)
	versions := usedVersions(l.req.Tool.Op, r.Versions)
	if r.Info != nil || len(versions) > 0 {
		if _, err := l.Update(func(t *task.Task) { t.Info, t.Versions = r.Info, versions }); err != nil {
			return err
		}
	}
	switch {
	case whole != nil:
		return whole
	case len(r.Out) == 0 && len(r.Info) == 0 && len(items) > 0:
		return problem.New(problem.CodeNothingLeft).With("count", len(items))
	default:
		return nil
	}
}

// usedVersions are those of the programs of an operation, as the machine says that
// it used them: of the pack and its add-ons.
func usedVersions(op string, said map[string]string) map[string]string {
	out := map[string]string{}
	o, _ := tools.Find(op)
	for _, name := range o.Programs {
		if v := said[name]; v != "" {
			out[name] = v
		}
	}
	return out
}

// inEnvironment does something with a place to work in, and clears it away after.
func (l *Live) inEnvironment(readOnly bool, do func(*environment) error) (err error) {
	t := l.last.Load()
	b := &environment{l: l, network: t.Network, readOnly: readOnly}
	defer func() {
		if cerr := b.close(); cerr != nil {
			l.log.Error("a runtime did not end well", "error", cerr)
			if err == nil {
				err = fmt.Errorf("end the runtime: %w", cerr)
			}
		}
	}()
	return do(b)
}

// graceful is the context for ending a runtime: it outlives the task's own.
func (c *Runner) graceful() (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.o.Registry.Grace(), endTimeout)
}
