package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/agent"
	"piwork/app/cli/flags"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

// modelCommand shows or changes which model works on a task.
func modelCommand(e *env) *cobra.Command {
	var thinking string
	cmd := onTask(e, "model ID [MODEL]", "Show or change the model of an AI task, also while it works", cobra.RangeArgs(1, 2),
		func(ctx context.Context, s *session, t task.Task, rest []string) (err error) {
			r := tasks.TaskModelRequest{Thinking: thinking}
			if len(rest) == 1 {
				if r.Model = rest[0]; r.Model == "" {
					return flags.Usage("the name of the model is empty")
				}
			}
			if r != (tasks.TaskModelRequest{}) {
				if t, err = s.SetTaskModel(ctx, t.ID, r); err != nil {
					return err
				}
			}
			if t.AI == nil {
				return flags.Usage("%s is no AI task", words.ShortID(t.ID))
			}
			return s.Reply(t, nil, func() { s.Print("%s", wording.ModelLine(t.AI.Model, t.AI.Thinking)) })
		})
	cmd.Long = `Show or change the model of an AI task, <service>/<model>, and how long it thinks.
It changes from the next answer on, and holds whenever the task goes on. A model of
another service can be chosen when the task is over. The budget stays as it is.`
	cmd.Flags().StringVar(&thinking, "thinking", "", "how long the model thinks: off, minimal, low, medium or high")
	return cmd
}

// compactCommand has the conversation of a task shortened.
func compactCommand(e *env) *cobra.Command {
	cmd := onID(e, "compact ID", "Summarise older messages of an AI task, to continue faster and cheaper", cobra.ExactArgs(1),
		func(ctx context.Context, s *session, id string, _ []string) error {
			f := &follower{session: s, accepted: true, since: time.Now(), summary: &task.NoticeData{}, req: tasks.StartRequest{Kind: task.KindAI, Accept: s.Yes}}
			return f.follow(ctx, func() (task.Task, error) { return s.CompactTask(ctx, id, false) })
		})
	cmd.Long = `Have the older messages of an AI task replaced by a summary, which its model writes.
The task must be over; then it is as it was, and your files are not touched. A task
at work does so by itself when its conversation gets too long.`
	return cmd
}

// summaryCodes say what came of it, as codes of notices.
var summaryCodes = map[string]bool{agent.NoticeCompacted: true, agent.NoticeShort: true, agent.NoticeNotCompact: true}

// summarised says how that ended.
func (f *follower) summarised(t task.Task) error {
	if !f.JSON {
		f.Print("%s", wording.Texts().Notice(*f.summary))
		f.spent(t)
	}
	if f.summary.Code != agent.NoticeNotCompact {
		return nil
	}
	if f.summary.Text != "" && !f.JSON {
		f.Hint("%s", words.Printable(f.summary.Text))
	}
	return f.code(ExitFailed)
}
