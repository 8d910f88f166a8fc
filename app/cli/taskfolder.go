package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

// folderCommand adds folders to a task that runs, and removes them.
func folderCommand(e *env) *cobra.Command {
	cmd := command.Group("folder",
		command.OnTask(e, "add ID FOLDER[:ro|:rw|:review]", cobra.ExactArgs(2), addFolder),
		command.OnTask(e, "remove ID NAME|PATH", cobra.ExactArgs(2), removeFolder),
	)
	return cmd
}

func addFolder(ctx context.Context, s *session, before task.Task, rest []string) error {
	r, err := flags.ParseFolder(rest[0])
	if err != nil {
		return err
	}
	t, err := s.AddFolder(ctx, before.ID, r)
	return s.Reply(t, err, func() {
		had := map[string]bool{}
		for _, f := range before.Shared() {
			had[f.ID] = true
		}
		for _, f := range t.Shared() {
			if !had[f.ID] {
				s.PrintText("folder-added", "path", f.Path, "mode", wording.Name("mode", f.Mode), "name", f.Name)
			}
		}
	})
}

func removeFolder(ctx context.Context, s *session, t task.Task, rest []string) error {
	f, err := sharedFolder(t, rest[0])
	if err != nil {
		return err
	}
	if t, err = s.RemoveFolder(ctx, t.ID, f.ID); err != nil {
		return err
	}
	return s.Reply(t, nil, func() {
		s.PrintText("folder-removed", "path", f.Path)
		if f.Mode != task.ModeReadOnly {
			s.HintText("folder-changes", "id", words.ShortID(t.ID))
		}
	})
}

// sharedFolder is the folder of a task that is meant by its name or its path.
func sharedFolder(t task.Task, given string) (task.Folder, error) {
	list := t.Shared()
	for _, f := range list {
		if f.Name == given {
			return f, nil
		}
	}
	abs, err := filepath.Abs(given)
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
