package cli

import (
	"context"
	"fmt"
	"piwork/app/tasks"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/agent"
	"piwork/app/task"

	"piwork/app/cli/terminal"
)

// modelCommand shows or changes which model works on a task.
func modelCommand(e *env) *cobra.Command {
	var thinking string
	cmd := &cobra.Command{
		Use:   "model ID [MODEL]",
		Short: "Show or change the model of an AI task, also while it works",
		Long: `Show or change the model of an AI task, <service>/<model>, and how long it thinks.
It changes from the next answer on, and holds whenever the task goes on. A model of
another service can be chosen when the task is over. The budget stays as it is.`,
		Args: cobra.RangeArgs(1, 2),
	}
	cmd.Flags().StringVar(&thinking, "thinking", "", "how long the model thinks: off, minimal, low, medium or high")
	cmd.RunE = e.connected(func(ctx context.Context, s *session, args []string) error {
		id, err := findTask(ctx, s, args[0])
		if err != nil {
			return err
		}
		r := tasks.TaskModelRequest{Thinking: thinking}
		if len(args) == 2 {
			if r.Model = args[1]; r.Model == "" {
				return usage("the name of the model is empty")
			}
		}
		var t task.Task
		if r == (tasks.TaskModelRequest{}) {
			t, err = s.Task(ctx, id)
		} else {
			t, err = s.SetTaskModel(ctx, id, r)
		}
		if err != nil {
			return err
		}
		if t.AI == nil {
			return usage("%s is no AI task", args[0])
		}
		return e.Reply(t, nil, func() { e.Print("%s", modelLine(t.AI.Model, t.AI.Thinking)) })
	})
	return cmd
}

// compactCommand has the conversation of a task shortened.
func compactCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "compact ID",
		Short: "Have the older messages of an AI task summarised, so that it goes on faster and for less",
		Long: `Have the older messages of an AI task replaced by a summary, which its model writes.
The task must be over; then it is as it was, and your files are not touched. A task
at work does so by itself when its conversation gets too long.`,
		Args: cobra.ExactArgs(1),
		RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
			id, err := findTask(ctx, s, args[0])
			if err != nil {
				return err
			}
			f := &follower{session: s, accepted: true, since: time.Now(), summary: &task.NoticeData{}, req: tasks.StartRequest{Kind: task.KindAI, Accept: e.Yes}}
			return f.follow(ctx, func() (task.Task, error) { return s.CompactTask(ctx, id, false) })
		}),
	}
}

// summaryCodes say what came of it, as codes of notices.
var summaryCodes = map[string]bool{agent.NoticeCompacted: true, agent.NoticeShort: true, agent.NoticeNotCompact: true}

// summarised says how that ended.
func (f *follower) summarised(t task.Task) error {
	if !f.JSON {
		f.Print("%s", noticeLine(*f.summary))
		f.spent(t)
	}
	if f.summary.Code != agent.NoticeNotCompact {
		return nil
	}
	if f.summary.Text != "" && !f.JSON {
		f.Hint("%s", terminal.Printable(f.summary.Text))
	}
	return f.code(ExitFailed)
}

// modelLine names a model and how long it thinks, where that was chosen.
func modelLine(model, thinking string) string {
	var parts []string
	if model != "" {
		parts = append(parts, terminal.Printable(model))
	}
	if thinking != "" {
		parts = append(parts, fmt.Sprintf("thinking %s", terminal.Printable(thinking)))
	}
	return strings.Join(parts, ", ")
}
