package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/attach"
	"piwork/app/cli/command"
	"piwork/app/cli/interact"
	"piwork/app/cli/terminal"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// startAttached starts a program and joins it: of its output nothing is missing, however
// slowly it is read (piwork exec … | less).
func startAttached(ctx context.Context, s *session, req tasks.StartRequest) error {
	f := &follower{session: s, req: req, joined: interact.NewSession(req.Interactive)}
	return f.followNew(ctx, func(id string) (task.Task, error) {
		req.ID = id
		return s.StartTask(ctx, req)
	})
}

// attachCommand joins a task that is at work.
func attachCommand(e *env) *cobra.Command {
	var noStdin bool
	cmd := command.OnTask(e, "attach ID", cobra.ExactArgs(1), func(ctx context.Context, s *session, t task.Task, _ []string) error {
		f := &follower{session: s, guest: true, onlyNew: true, req: tasks.StartRequest{Kind: t.Kind, Chore: t.Chore}}
		if t.Kind == task.KindExec && !t.State.Final() {
			f.joined = interact.NewSession(!noStdin)
		}
		return f.follow(ctx, t, func() (task.Task, error) { return s.Task(ctx, t.ID) }) // it may have ended before its events came
	})
	cmd.Flags().BoolVar(&noStdin, "no-stdin", false, "")
	return cmd
}

// joins attaches to the program of a task, and catches up with a task that is at work.
func (f *follower) joins(ctx context.Context, t task.Task) error {
	if f.joined != nil {
		conn, err := f.AttachTask(ctx, t.ID, !f.guest)
		if p, is := errors.AsType[*problem.Problem](err); is && p.Code == problem.CodeNotAttachable {
			f.joined = nil // the program is over, or as good as: events have what it wrote
			return f.catchUp(ctx, t)
		}
		if err != nil {
			return err
		}
		f.joined.Join(conn, f.wrote)
		if !f.guest {
			if err := f.LetGoOn(ctx, t.ID); err != nil {
				return err
			}
		}
		f.programBegins(t.State)
	}
	return f.catchUp(ctx, t)
}

// catchUp answers what a task asked before this joined it.
func (f *follower) catchUp(ctx context.Context, t task.Task) error {
	if f.guest && t.State == task.StateWaiting {
		return f.missed(ctx)
	}
	return nil
}

// programBegins has the terminal be the program's, when the program begins.
func (f *follower) programBegins(s task.State) {
	if f.joined == nil || f.joined.Begun() || s != task.StateRunning && s != task.StateWaiting {
		return
	}
	f.bar.Stop()
	f.joined.Begin(f.Terminal)
}

// wrote shows what the program wrote.
func (f *follower) wrote(stream string, data []byte) {
	d := task.OutputData{Stream: stream, Data: data}
	if f.JSON {
		f.JSONLine(task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Task: f.id, Kind: task.EventOutput, Data: d})
		return
	}
	f.output(d)
}

// left says how the program was left; nil when it is over.
func (f *follower) left(ctx context.Context, err error) error {
	var lost *attach.LostError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, interact.ErrDetached):
		if !f.guest {
			if _, err := f.DetachTask(ctx, f.id); err != nil {
				return err
			}
		}
		f.HintText("detached", "id", words.ShortID(f.id))
		return &command.Ended{Code: ExitDone}
	case errors.Is(err, attach.ErrBehind):
		f.HintText("behind", "id", words.ShortID(f.id))
		return &command.Ended{Code: command.ExitOwn}
	case errors.As(err, &lost):
		return &client.UnreachableError{Err: err}
	}
	return err
}

// elsewhere says that a question is to be answered elsewhere, also on a raw terminal.
func (f *follower) elsewhere(id string) {
	if !f.Quiet {
		_, _ = io.WriteString(f.Stderr, "\r\n"+terminal.Text(id, "id", words.ShortID(f.id))+"\r\n")
	}
}
