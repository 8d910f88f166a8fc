package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
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
	if now, err := f.Task(ctx, f.id); err != nil || now.State != task.StateWaiting { // its question was answered just now
		return err
	}
	p, err := f.Plan(ctx, f.id)
	if err != nil {
		return err
	}
	f.showPlan(p)
	return f.waiting(ctx)
}

// waiting asks whether to carry out the plan that was shown, until somebody has decided that
// elsewhere: a late answer changes nothing.
func (f *follower) waiting(ctx context.Context) error {
	f.bar.Stop()
	yes, over := f.Yes, false
	if !yes && f.CanAsk() {
		over = f.asks(ctx, f.planOver, func(ctx context.Context) { yes = f.Ask(ctx, terminal.Text("ask-plan")) })
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if over {
		return f.decided(ctx)
	}
	if yes {
		f.bar = f.StartProgress(terminal.Text("progress-continue"))
		_, err := f.AcceptPlan(ctx, f.id)
		if p, is := errors.AsType[*problem.Problem](err); is && p.Code == problem.CodeTaskNotWaiting {
			return f.decided(ctx)
		}
		f.accepted = true
		return err
	}
	if f.guest {
		f.elsewhere("plan-elsewhere")
		return nil
	}
	now, err := f.Task(ctx, f.id)
	if err != nil {
		return err
	}
	if now.State != task.StateWaiting {
		return f.decided(ctx)
	}
	if _, err := f.CancelTask(ctx, f.id); err != nil {
		return err
	}
	return errDenied
}

// planOver reports whether an event says that the plan waits for nobody any more. After a reset
// states of before come again: the record knows.
func (f *follower) planOver(ctx context.Context, ev task.Event) bool {
	switch ev.Kind {
	case task.EventDecision:
		d, _ := ev.Data.(vmhost.Decision)
		return d.ID == tasks.PlanQuestion
	case task.EventState, task.EventReset:
		now, err := f.Task(ctx, f.id)
		return err == nil && now.State != task.StateWaiting
	}
	return ev.Kind == task.EventGone
}

// decided follows a task on whose plan somebody else decided.
func (f *follower) decided(ctx context.Context) error {
	now, err := f.Task(ctx, f.id)
	if err != nil {
		return err
	}
	f.bar.Stop()
	if f.accepted = now.State != task.StateCancelled; f.accepted {
		f.HintText("plan-decided")
	}
	f.bar = f.StartProgress(terminal.Text("progress-continue"))
	return nil
}

// mostLate is how many events are read while a person is asked.
const mostLate = 1024

// asks has put ask a person, whose answer counts until over says of an event that it is too
// late: then ctx of put ends, and asks reports true. Events that come meanwhile are shown later.
func (f *follower) asks(ctx context.Context, over func(context.Context, task.Event) bool, put func(context.Context)) bool {
	asked, end := context.WithCancel(ctx)
	defer end()
	late := make(chan bool, 1)
	go func() {
		for len(f.late) < mostLate {
			select {
			case ev, open := <-f.events:
				if !open { // as is found out after the answer
					late <- false
					return
				}
				if ev.Kind == task.EventProgress || ev.Kind == task.EventDelta { // a later one says more
					continue
				}
				f.late = append(f.late, ev)
				if over(asked, ev) {
					end()
					late <- true
					return
				}
			case <-asked.Done():
				late <- false
				return
			}
		}
		late <- false
	}()
	put(asked)
	end()
	if !<-late {
		return false
	}
	if ctx.Err() == nil {
		_, _ = io.WriteString(f.Stderr, "\n") // after the question, which nobody answered
	}
	return true
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
