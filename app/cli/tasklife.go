package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// taskLine shows a task in a line, or its record as JSON.
func taskLine(s *session, t task.Task, err error) error {
	return s.Reply(t, err, func() {
		s.Print("%s  %-8s  %s", words.Printable(words.ShortID(t.ID)), wording.Name("state", t.State), wording.TaskTitle(t))
	})
}

// cancelTask stops a task, and waits until it has. One that is over stays as it is.
func cancelTask(ctx context.Context, s *session, t task.Task) error {
	t, err := s.CancelTask(ctx, t.ID)
	return taskLine(s, t, err)
}

// acceptTask shows the plan with which a task waits, and has it carried out.
func acceptTask(ctx context.Context, s *session, t task.Task) error {
	plan, err := s.Plan(ctx, t.ID)
	if p, is := errors.AsType[*problem.Problem](err); is && p.Code == problem.CodeNotFound { // the task itself is there
		return flags.Usage("no-plan", "id", words.ShortID(t.ID))
	}
	if err != nil {
		return err
	}
	if !s.Yes {
		s.Show(plan, func() { s.Print("%s", strings.Join(wording.PlanLines(plan, s.Verbose), "\n")) })
		if err := s.Consent(ctx, terminal.Text("ask-plan")); err != nil {
			return err
		}
	}
	t, err = s.AcceptPlan(ctx, t.ID)
	return taskLine(s, t, err)
}

// waitCommand waits until tasks are over, and ends as they did.
func waitCommand(e *env) *cobra.Command {
	return command.OnEach(e, "wait ID...", waitTask)
}

func waitTask(ctx context.Context, s *session, t task.Task) error {
	t, err := awaitEnd(ctx, s, t)
	if err != nil {
		if ctx.Err() != nil { // the task goes on without this command
			return &command.Ended{Code: ExitCancelled}
		}
		return err
	}
	if err := taskLine(s, t, nil); err != nil {
		return err
	}
	code := outcome(t)
	if code == ExitDone {
		return nil
	}
	if t.Error != nil && !s.JSON && t.State != task.StateCancelled {
		s.CardOf(s.Stderr, "", t)
	}
	return &command.Ended{Code: code}
}

// outcome is the exit code that a task ends with.
func outcome(t task.Task) int {
	switch {
	case t.State == task.StateCancelled:
		return ExitCancelled
	case t.Kind == task.KindExec:
		return command.ProgramStatus(t, false)
	case t.Error != nil:
		return command.ExitCode(*t.Error)
	case t.State != task.StateDone:
		return ExitFailed
	}
	return ExitDone
}

var errOver = errors.New("the task is over")

// awaitEnd waits until a task is over. It says once what the task waits for, when that is
// a person.
func awaitEnd(ctx context.Context, s *session, t task.Task) (task.Task, error) {
	told := false
	look := func() (err error) {
		if t, err = s.Task(ctx, t.ID); err != nil {
			return err
		}
		if t.State.Final() {
			return errOver
		}
		if t.State == task.StateWaiting && !told {
			told = true
			sayWaits(ctx, s, t)
		}
		return nil
	}
	err := look()
	if err == nil { // the stream begins with what is remembered: nothing is missed
		err = s.Events(ctx, client.EventsOptions{EventFilter: task.EventFilter{Task: t.ID}}, func(ev task.Event) error {
			switch ev.Kind {
			case task.EventState, task.EventReset, task.EventGone:
				return look()
			}
			return nil
		})
	}
	if errors.Is(err, errOver) {
		err = nil
	}
	return t, err
}

// sayWaits says what a task that waits needs of a person.
func sayWaits(ctx context.Context, s *session, t task.Task) {
	id := words.ShortID(t.ID)
	if list, err := s.Questions(ctx, t.ID); err == nil && len(list) > 0 {
		s.HintText("waits-answer", "title", wording.TaskTitle(t), "id", id)
		return
	}
	s.HintText("waits-plan", "title", wording.TaskTitle(t), "id", id)
}

// detach is the flag of commands that start a task: not to wait for its end.
type detach struct{ on bool }

func (d *detach) add(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVarP(&d.on, "detach", "d", false, "")
	return cmd
}

// started names a task that goes on without this command: its id alone is the answer.
func (d *detach) started(s *session, t task.Task, err error) error {
	return s.Reply(t, err, func() {
		fmt.Fprintln(s.Stdout, words.Printable(t.ID))
		if t.Kind == task.KindChore && !s.Yes {
			s.HintText("detached-plan", "id", words.ShortID(t.ID))
		}
	})
}

// startTask starts a task, and watches it unless it is detached.
func (d *detach) startTask(ctx context.Context, s *session, r tasks.StartRequest) error {
	if !d.on {
		return startTask(ctx, s, r)
	}
	r.Detached = true
	t, err := s.StartTask(ctx, r)
	return d.started(s, t, err)
}
