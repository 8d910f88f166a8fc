package tasks

import (
	"errors"
	"slices"

	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// An AI task with a chore is that chore with what an AI adds to it: its plan is made
// and accepted as every chore's, then its part without an AI is done, and then the
// agent is asked with the chore's own words. It gets the folders read-only, or so
// that its changes wait for a yes, has no network unless a person says otherwise,
// and only the tools that it needs; so it is asked nothing on the way.

// aidedDone is the NoticeData.Code of the part without an AI that is done.
const aidedDone = "chore-done"

// FindAided returns the chore of an AI task.
func FindAided(name string) (chore.Aided, bool) {
	ch, ok := FindChore(name)
	if !ok {
		return nil, false
	}
	a, ok := ch.(chore.Aided)
	return a, ok
}

// aidedReview reports whether a chore with an AI changes files in its folders.
func aidedReview(name string) bool {
	ch, ok := FindAided(name)
	return ok && ch.Info().AI.Review
}

// aidedRequest fills in the record of a chore with an AI, and returns what the agent
// is asked for until the plan is there: the chore's own words, and what the person
// adds to them.
func aidedRequest(t *task.Task, r StartRequest) (string, error) {
	ch, ok := FindAided(r.Chore)
	if !ok {
		return "", problem.New(problem.CodeUnknownChore).With("chore", r.Chore)
	}
	if err := choreRequest(t, r); err != nil {
		return "", err
	}
	return ch.Prompt(nil, chore.Plan{Params: t.Params}, r.Prompt), nil
}

// prepareAided plans a chore with an AI, waits until the plan is accepted, and does
// the part without an AI. It reports whether that was all.
func prepareAided(l *Live, t task.Task) (over bool, err error) {
	ch, ok := FindAided(t.Chore)
	if !ok {
		return true, problem.New(problem.CodeUnknownChore).With("chore", t.Chore)
	}
	defer l.c.keepRates()
	l.begin(task.StateRunning)
	done, err := l.noticed(aidedDone)
	if err != nil || done {
		return false, err
	}
	accepted, _, err := l.c.AcceptedBefore(l.id)
	if err != nil {
		return true, err
	}
	var plan chore.Plan
	if accepted {
		err = l.c.o.Store.LoadPlan(l.id, &plan)
	} else {
		plan, err = planAided(l, ch, t)
	}
	if err != nil || l.req.PlanOnly {
		return true, err
	}
	if err := l.enter(); err != nil {
		return true, err
	}
	l.startClock()
	base := plan
	base.Operations = slices.DeleteFunc(slices.Clone(plan.Operations), func(op chore.Operation) bool { return op.Op == chore.OpAI })
	if len(base.Operations) > 0 {
		l.gate.Grant(consent.Grants(base, t.Folders), base.Writes(), base.Fetches())
		l.step("run")
		err := l.inEnvironment(false, func(b *environment) error {
			env := l.choreEnv(ch, b, t, newMeter(l, base.Work(), base.Reads()))
			if l.round > 0 {
				env.Made = b.made
			}
			out, err := ch.RunBase(l.ctx, env, plan)
			l.goneOn(base, out, false)
			return err
		})
		l.gate.Grant(nil, 0, plan.Fetches())
		if err != nil && problem.From(err).Code != problem.CodeNothingLeft { // there may be something for the agent
			return true, err
		}
	}
	var folders []chore.Folder
	for _, f := range t.Folders {
		folders = append(folders, chore.Folder{Guest: wire.FoldersDir + "/" + f.Name})
	}
	wish := ""
	if t.Asked != nil {
		wish = t.Asked.Prompt
	}
	if _, err := l.Update(func(t *task.Task) {
		if len(t.AI.Pending) > 0 {
			t.AI.Pending = slices.Clone(t.AI.Pending)
			t.AI.Pending[0].Text = ch.Prompt(folders, plan, wish)
		}
	}); err != nil {
		return true, err
	}
	l.Record(task.EventNotice, task.NoticeData{Code: aidedDone})
	return false, l.Written()
}

// planAided plans and, unless it is only that, waits until the plan is accepted.
func planAided(l *Live, ch chore.Aided, t task.Task) (chore.Plan, error) {
	l.step("plan")
	var plan chore.Plan
	err := l.inEnvironment(true, func(b *environment) (err error) {
		env, note := chore.Noting(l.choreEnv(ch, b, t, newMeter(l, nil, nil)))
		plan, err = ch.PlanAI(l.ctx, env)
		note(&plan)
		return err
	})
	l.addProblems(plan.Skipped)
	if err != nil {
		return plan, err
	}
	if err := l.c.o.Store.SavePlan(l.id, plan); err != nil {
		return plan, err
	}
	l.Record(task.EventPlan, plan)
	if l.req.PlanOnly {
		_, err := l.Update(func(t *task.Task) { t.AI.Pending = nil })
		return plan, err
	}
	if err := l.needs(plan.Needs); err != nil {
		return plan, err
	}
	if l.req.Accept {
		return plan, l.decide(l.gate.Beforehand())
	}
	l.exit() // while a person thinks others may work
	return plan, l.waitForAccept()
}

// declared is the problem of a chore whose agent did not make what it was to.
func declared(l *Live) error {
	t := *l.last.Load()
	ch, ok := FindAided(t.Chore)
	if !ok {
		return nil
	}
	for _, name := range ch.Info().AI.Results {
		made := slices.ContainsFunc(t.Results, func(r task.Result) bool { return r.Folder == "" && r.Path == name })
		if !made {
			return problem.New(problem.CodeAINoResult).With("name", name).Because(errors.New("it is not in /state/results"))
		}
	}
	return nil
}
