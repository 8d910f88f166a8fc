package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
)

// folderCommand adds folders to a task that runs, and removes them.
func folderCommand(e *env) *cobra.Command {
	cmd := command.Group("folder",
		command.OnTask(e, "add ID FOLDER[:ro|:rw|:review]...", cobra.MinimumNArgs(2), addFolder),
		command.OnTask(e, "remove ID NAME|PATH...", cobra.MinimumNArgs(2), removeFolder),
	)
	return cmd
}

func addFolder(ctx context.Context, s *session, t task.Task, rest []string) error {
	return s.Each(rest, func(given string) error {
		r, err := s.Paths(ctx).Folder(given)
		if err != nil {
			return err
		}
		now, err := s.AddFolder(ctx, t.ID, r)
		return s.Reply(now, err, func() {
			had := map[string]bool{}
			for _, f := range t.Shared() {
				had[f.ID] = true
			}
			for _, f := range now.Shared() {
				if !had[f.ID] {
					s.PrintText("folder-added", "path", f.Path, "mode", wording.Name("mode", f.Mode), "name", f.Name)
				}
			}
			t = now
		})
	})
}

func removeFolder(ctx context.Context, s *session, t task.Task, rest []string) error {
	return s.Each(rest, func(given string) error {
		f, err := sharedFolder(t, given, s.Paths(ctx))
		if err != nil {
			return err
		}
		now, err := s.RemoveFolder(ctx, t.ID, f.ID)
		return s.Reply(now, err, func() {
			s.PrintText("folder-removed", "path", f.Path)
			if f.Mode != task.ModeReadOnly {
				s.HintText("folder-changes", "id", words.ShortID(t.ID))
			}
		})
	})
}

// sharedFolder is the folder of a task that is meant by its name or its path.
func sharedFolder(t task.Task, given string, paths flags.Paths) (task.Folder, error) {
	list := t.Shared()
	for _, f := range list {
		if f.Name == given {
			return f, nil
		}
	}
	abs, err := paths.Abs(given)
	if err != nil {
		return task.Folder{}, err
	}
	for _, f := range list {
		if f.Path == abs {
			return f, nil
		}
	}
	return task.Folder{}, problem.New(problem.CodeNotFound).With("folder", given)
}
