package tasks

import (
	"context"
	"encoding/json"
	"slices"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// Why a task cannot go on: causes of problem.CodeNotResumable.
const (
	ResumeOver     = "over"     // it got to its end, or has not begun to
	ResumeNoPlan   = "no-plan"  // nobody said yes to a plan
	resumePassword = "password" // it had one, which was kept nowhere
	ResumeProgram  = "program"  // it was interrupted, but is no chore
)

// resumedNotice is the NoticeData.Code of a task that goes on.
const resumedNotice = "resumed"

// AccelSlow is the slow mode, in requests and records.
const AccelSlow = string(qemu.AccelTCG)

// resumeChore has a chore go on that was accepted and did not get to its end: with
// exactly its plan, in the same record and with the same journal, so that one undo
// takes back all of it. What it made is looked at again and not made twice. It
// returns as soon as the record is durable; the task ends when ctx ends.
func (c *Runner) resumeChore(ctx context.Context, id string) (task.Task, error) {
	t, release, err := c.o.Registry.HoldTask(ctx, id)
	if err != nil {
		return task.Task{}, err
	}
	defer release()
	l, err := c.resumed(ctx, t)
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	return c.relive(ctx, l, func(*task.Task) {}, task.NoticeData{Code: resumedNotice})
}

// relive starts a task again that is over, in the same record, after edit; notices say why.
// It ends as one that starts does. The caller holds the task.
func (c *Runner) relive(ctx context.Context, l *Live, edit func(*task.Task), notices ...task.NoticeData) (task.Task, error) {
	var t task.Task
	err := c.begins(l, func() (err error) {
		t, err = l.write(func(t *task.Task) {
			t.State, t.Ended, t.Error = task.StateQueued, nil, nil
			requireApart(ctx, t)
			edit(t)
		})
		return err
	})
	if err != nil {
		return task.Task{}, err
	}
	l.mu.Lock()
	l.state = t.State
	l.mu.Unlock()
	for _, n := range notices {
		l.Record(task.EventNotice, n)
	}
	l.Record(task.EventState, task.StateData{State: t.State})
	l.start(ctx)
	return t, nil
}

// resumed makes a task that goes on of the record of one that is over. Nothing is
// written yet.
func (c *Runner) resumed(ctx context.Context, t task.Task) (*Live, error) {
	if t.State == task.StateDone || !t.State.Final() {
		return nil, notResumable(t.ID, ResumeOver)
	}
	plan, before, err := c.acceptedPlan(t)
	if err != nil {
		return nil, err
	}
	r := StartRequest{
		Kind: t.Kind, Title: t.Title, Network: t.Network, Chore: t.Chore, Params: t.Params, Accept: true,
	}
	sameMachine(&r, t)
	r.ask(ctx)
	if r.Folders, err = c.sameFolders(t); err != nil {
		return nil, err
	}
	size, err := c.o.Fleet.SizeFor(ctx, r.size())
	if err != nil {
		return nil, err
	}
	l := NewLive(c, t, r)
	l.size, l.plan, l.round = size, &plan, before+1
	return l, nil
}

func notResumable(id, cause string) error {
	return problem.New(problem.CodeNotResumable).With("task", id).By(cause)
}

// acceptedPlan is the plan that a chore goes on with, and how often it went on since; an error
// says why it cannot.
func (c *Runner) acceptedPlan(t task.Task) (plan chore.Plan, times int, err error) {
	if t.Kind != task.KindChore {
		return plan, 0, notResumable(t.ID, ResumeProgram)
	}
	ch, ok := FindChore(t.Chore)
	if !ok {
		return plan, 0, problem.New(problem.CodeUnknownChore).With("chore", t.Chore)
	}
	if slices.ContainsFunc(ch.Info().Params, func(p chore.ParamInfo) bool { return p.Type == chore.TypePassword }) {
		return plan, 0, notResumable(t.ID, resumePassword)
	}
	accepted, times, err := c.AcceptedBefore(t.ID)
	if err != nil {
		return plan, 0, err
	}
	if accepted {
		err = c.o.Store.LoadPlan(t.ID, &plan)
	}
	if err != nil || !accepted || len(plan.Operations) == 0 {
		return plan, 0, notResumable(t.ID, ResumeNoPlan)
	}
	return plan, times, nil
}

// onward adds to the problem of a task whose folder went, or is silent, how it goes on once the
// folder is back: an AI task and a chore with an accepted plan are resumed, others are started
// again, unless what they were asked for is kept nowhere.
func onward(l *Live, p *problem.Problem) *problem.Problem {
	if p.Code != problem.CodeFolderGone && p.Code != problem.CodeFolderSilent {
		return p
	}
	p, t := p.Clone(), *l.last.Load()
	l.notes.Wait()
	_, _, not := l.c.acceptedPlan(t)
	switch {
	case t.Kind == task.KindAI || not == nil:
		p.Cause, p.Fix = "resume", problem.Fixes(problem.FixResume, problem.FixReview)
	case t.Asked == nil || t.Asked.Lost == "":
		p.Cause, p.Fix = "again", problem.Fixes(problem.FixStartAgain, problem.FixReview)
	default:
		p.Cause, p.Fix = "", problem.Fixes(problem.FixReview)
	}
	return p
}

// sameMachine asks for the machine and the time that were chosen for a task. Where it
// worked without being asked for by name is chosen anew: a yes was for that task.
func sameMachine(r *StartRequest, t task.Task) {
	if t.Accel == AccelSlow {
		r.Accel = AccelSlow
	}
	if a := t.Asked; a != nil { // not in records from before this member
		r.MemoryMB, r.CPUs, r.Limits, r.Runtime, r.Requires, r.Cache = a.MemoryMB, a.CPUs, a.Limits, a.Runtime, a.Requires, a.Cache
	}
}

// sameFolders are the folders of a task that goes on: they must still be there, and
// what they were.
func (c *Runner) sameFolders(t task.Task) ([]task.FolderRequest, error) {
	var out []task.FolderRequest
	for _, f := range t.Shared() {
		same := task.FolderRequest{Path: f.Path, Mode: f.Mode, Exact: true}
		if _, err := c.asked(same); err != nil {
			return nil, err
		}
		out = append(out, same)
	}
	return out, nil
}

// AcceptedBefore reports whether a person said yes to the plan of a task, and how
// often it went on since.
func (c *Runner) AcceptedBefore(id string) (accepted bool, times int, err error) {
	events, err := c.o.Store.Timeline(id, 0)
	if err != nil {
		return false, 0, registry.Problem(id, err)
	}
	for _, e := range events {
		data, ok := e.Data.(json.RawMessage)
		if !ok {
			continue
		}
		switch e.Kind {
		case task.EventDecision:
			var d vmhost.Decision
			if json.Unmarshal(data, &d) == nil && d.ID == PlanQuestion && d.Answer == vmhost.AnswerAllow {
				accepted = true
			}
		case task.EventNotice:
			var d task.NoticeData
			if json.Unmarshal(data, &d) == nil && d.Code == resumedNotice {
				times++
			}
		}
	}
	return accepted, times, nil
}

// made is what earlier rounds of a task made and is not undone: SHA-256 by path in
// the runtime.
func (env *environment) made(ctx context.Context) (map[string]string, error) {
	if err := env.open(ctx); err != nil { // with its journal
		return nil, err
	}
	if env.journal == nil {
		return nil, nil
	}
	list, err := env.journal.Changes(ctx)
	if err != nil {
		return nil, err
	}
	given, err := env.l.c.o.History.Forgotten(env.l.id, list)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, f := range env.shared() {
		names[f.ID] = f.Name
	}
	out := map[string]string{}
	for _, change := range append(given, list...) {
		name, ok := names[change.Folder]
		if ok && change.Effect == journal.EffectCreate && change.Undone == nil && change.After != nil && change.After.SHA256 != "" {
			out[wire.FoldersDir+"/"+name+"/"+change.Path] = change.After.SHA256
		}
	}
	return out, nil
}
