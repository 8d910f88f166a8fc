package cli

import (
	"context"
	"errors"
	"strings"

	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
)

var errDenied = errors.New("the plan was not accepted")

func (f *follower) showPlan(p chore.Plan) {
	if f.planned {
		return
	}
	f.planned = true
	f.skipped = map[string]bool{}
	for _, sk := range p.Skipped {
		f.skipped[problemKey(sk)] = true
	}
	f.bar.Stop()
	if !f.JSON {
		f.Print("%s", strings.Join(wording.PlanLines(p, f.Verbose), "\n"))
	} else if f.req.PlanOnly {
		f.Document(p)
	}
	f.bar = f.StartProgress(terminal.Text("progress-continue"))
}

// missed catches up after lost events: it answers open questions, or asks for the plan.
func (f *follower) missed(ctx context.Context) error {
	list, err := f.Questions(ctx, f.id)
	if err != nil {
		return err
	}
	for _, q := range list {
		if err := f.question(ctx, q); err != nil {
			return err
		}
	}
	if len(list) > 0 || f.req.Chore == "" || f.accepted {
		return nil
	}
	p, err := f.Plan(ctx, f.id)
	if err != nil {
		return err
	}
	f.showPlan(p)
	return f.waiting(ctx)
}

// waiting asks whether to carry out the plan that was shown.
func (f *follower) waiting(ctx context.Context) error {
	f.bar.Stop()
	if f.Yes || f.CanAsk() && f.Ask(ctx, terminal.Text("ask-plan")) {
		f.bar = f.StartProgress(terminal.Text("progress-continue"))
		_, err := f.AcceptPlan(ctx, f.id)
		f.accepted = true
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f.guest {
		f.elsewhere()
		return nil
	}
	if _, err := f.CancelTask(ctx, f.id); err != nil {
		return err
	}
	return errDenied
}

func (f *follower) denied(t task.Task) error {
	if f.JSON {
		f.record(t)
	} else {
		f.PrintText("cancelled-plan")
		if !f.CanAsk() {
			f.HintText("with-yes")
		}
	}
	return &command.Ended{Code: ExitDenied}
}
