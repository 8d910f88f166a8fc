package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// resumeCommand has a task go on that did not get to its end, and watches it.
func resumeCommand(e *env) *cobra.Command {
	var background detach
	return background.add(command.OnTask(e, "resume ID", cobra.ExactArgs(1), func(ctx context.Context, s *session, t task.Task, _ []string) error {
		if background.on {
			t, err := s.ResumeDetached(ctx, t.ID)
			return background.started(s, t, err)
		}
		return taskResume(ctx, s, t)
	}))
}

func taskResume(ctx context.Context, s *session, t task.Task) error {
	f := &follower{
		session: s, accepted: t.Kind == task.KindChore || s.Yes, planned: t.Kind == task.KindChore, onlyNew: true, skipped: map[string]bool{},
		req: tasks.StartRequest{Kind: t.Kind, Chore: t.Chore, Accept: true},
	}
	if t.Kind == task.KindChore {
		if plan, err := s.Plan(ctx, t.ID); err == nil { // without one, going on says why not
			for _, p := range plan.Skipped {
				f.skipped[problemKey(p)] = true
			}
		}
	}
	return f.follow(ctx, t, func() (task.Task, error) { return s.ResumeTask(ctx, t.ID) })
}

// mayGoOn says how to go on with a chore that did not get to its end.
func (f *follower) mayGoOn(t task.Task) {
	c, ok := chore.Find(t.Chore)
	if !f.accepted || t.Kind != task.KindChore || t.State == task.StateDone || !ok ||
		slices.ContainsFunc(c.Info().Params, func(p chore.ParamInfo) bool { return p.Type == chore.TypePassword }) {
		return
	}
	f.HintText("resume", "id", words.ShortID(t.ID))
}
