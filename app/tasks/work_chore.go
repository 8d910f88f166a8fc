package tasks

import (
	"context"
	"fmt"
	"io/fs"

	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/folders"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/wire"
)

// FindChore is chore.Find but in tests.
var FindChore = chore.Find

// workChore plans, shows the plan, and does what was accepted. Planning and
// doing happen in two environments: in the first every folder is read-only, so that a
// hostile file that is looked at can change nothing, and while a person thinks
// no machine waits.
func (l *Live) workChore() error {
	t := *l.last.Load()
	ch, ok := FindChore(t.Chore)
	if !ok {
		return problem.New(problem.CodeUnknownChore).With("chore", t.Chore)
	}
	defer l.c.keepRates()
	l.begin(task.StateRunning)
	if l.plan != nil { // accepted in an earlier round
		if err := l.needs(l.plan.Needs); err != nil {
			return err
		}
		return l.runPlan(ch, t, *l.plan)
	}
	l.step("plan")
	var plan chore.Plan
	err := l.inEnvironment(true, func(b *environment) (err error) {
		env, note := chore.Noting(l.choreEnv(ch, b, t, newMeter(l, nil, nil)))
		plan, err = ch.Plan(l.ctx, env)
		note(&plan)
		return err
	})
	l.addProblems(plan.Skipped)
	if err != nil {
		return err
	}
	if err := l.c.o.Store.SavePlan(l.id, plan); err != nil {
		return err
	}
	l.Record(task.EventPlan, plan)
	if l.req.PlanOnly {
		return nil
	}
	if err := l.needs(plan.Needs); err != nil { // before a person is asked
		return err
	}
	if len(plan.Operations) == 0 { // nothing to ask about
		return nil
	}
	switch {
	case l.req.Accept:
		if err := l.decide(l.gate.Beforehand()); err != nil {
			return err
		}
	default:
		l.exit() // while a person thinks others may work
		if err := l.waitForAccept(); err != nil {
			return err
		}
	}
	return l.runPlan(ch, t, plan)
}

func (l *Live) runPlan(ch chore.Chore, t task.Task, plan chore.Plan) error {
	if err := l.enter(); err != nil {
		return err
	}
	l.gate.Grant(consent.Grants(plan, t.Folders), plan.Writes(), plan.Fetches())
	l.step("run")
	l.startClock()
	return l.inEnvironment(false, func(b *environment) error {
		env := l.choreEnv(ch, b, t, newMeter(l, plan.Work(), plan.Reads()))
		env.Ask = l.askYes
		if l.round > 0 {
			env.Made = b.made
			out, err := ch.Run(l.ctx, env, plan)
			l.goneOn(plan, out, err == nil)
			return err
		}
		out, err := ch.Run(l.ctx, env, plan)
		l.addProblems(out.Problems)
		l.addResults(out.Results)
		return err
	})
}

// askYes asks a person, and reports whether the answer is a yes.
func (l *Live) askYes(ctx context.Context, q vmhost.Question) (bool, error) {
	q.Task = l.id
	a, err := l.gate.Ask(ctx, q, nil)
	if l.ctx.Err() == nil {
		err = nil // nobody answered, which is a no
	}
	return a.Answer == vmhost.AnswerAllow, err
}

// choreEnv is what a chore works with in an environment.
func (l *Live) choreEnv(ch chore.Chore, b *environment, t task.Task, m *meter) chore.Env {
	env := chore.Env{
		Params:   chore.WithPasswords(ch.Info(), t.Params, l.req.Params),
		Execute:  m.execute(b),
		Progress: m.progress,
	}
	for _, f := range t.Folders {
		folder := chore.Folder{
			ID: f.ID, Name: f.Name, Guest: wire.FoldersDir + "/" + f.Name,
			List: func(ctx context.Context, recursive bool) ([]chore.Entry, error) {
				return drive.Await(ctx, f.Path, func() ([]chore.Entry, error) {
					root, err := share.OpenReal(f.Path)
					if err != nil {
						return nil, fmt.Errorf("open the folder: %w", err)
					}
					defer root.Close()
					return chore.List(ctx, root, recursive)
				}, nil)
			},
		}
		if !l.req.PlanOnly {
			folder.CanWrite = func() error {
				if f.Mode == task.ModeReadOnly {
					return &fs.PathError{Op: "write to", Path: f.Path, Err: chore.ErrReadOnly}
				}
				return drive.Check(l.ctx, f.Path, func() error { return folders.CanWrite(f.Path) })
			}
		}
		env.Folders = append(env.Folders, folder)
	}
	return env
}
