package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/agent"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// modelCommand shows or changes which model works on a task.
func modelCommand(e *env) *cobra.Command {
	var thinking string
	cmd := command.OnTask(e, "model ID [MODEL]", cobra.RangeArgs(1, 2),
		func(ctx context.Context, s *session, t task.Task, rest []string) (err error) {
			r := tasks.TaskModelRequest{Thinking: thinking}
			if len(rest) == 1 {
				if r.Model = rest[0]; r.Model == "" {
					return flags.Usage("model-empty")
				}
			}
			if r != (tasks.TaskModelRequest{}) {
				if t, err = s.SetTaskModel(ctx, t.ID, r); err != nil {
					return err
				}
			}
			if t.AI == nil {
				return flags.Usage("no-ai-task", "id", words.ShortID(t.ID))
			}
			return s.Reply(t, nil, func() { s.Print("%s", wording.ModelLine(t.AI.Model, t.AI.Program, t.AI.Thinking)) })
		})
	flags.OneWord(cmd.Flags(), &thinking, "thinking", flags.Efforts...)
	return cmd
}

// compactCommand has the conversation of a task shortened.
func compactCommand(e *env) *cobra.Command {
	var background detach
	return background.add(command.OnTask(e, "compact ID", cobra.ExactArgs(1),
		func(ctx context.Context, s *session, t task.Task, _ []string) error {
			if t.Kind != task.KindAI {
				return flags.Usage("no-ai-task", "id", words.ShortID(t.ID))
			}
			if background.on {
				t, err := s.CompactTask(ctx, t.ID, true)
				return background.started(s, t, err)
			}
			f := &follower{session: s, accepted: true, onlyNew: true, summary: &task.NoticeData{}, req: tasks.StartRequest{Kind: task.KindAI, Accept: s.Yes}}
			return f.follow(ctx, t, func() (task.Task, error) { return s.CompactTask(ctx, t.ID, false) })
		}))
}

// summaryCodes say what came of it, as codes of notices.
var summaryCodes = map[string]bool{agent.NoticeCompacted: true, agent.NoticeShort: true, agent.NoticeNotCompact: true}

// summarised says how that ended.
func (f *follower) summarised(t task.Task) error {
	if !f.JSON {
		f.Print("%s", terminal.Texts().Notice(*f.summary))
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
