package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/wire"

	"piwork/app/cli/wording"
)

// folderCommand adds folders to a task that runs, and removes them.
func folderCommand(e *env) *cobra.Command {
	cmd := group("folder", "Add a folder to a task while it runs, or remove one",
		"Programs (exec) and AI tasks take folders until they are over; a chore works on the\n"+
			"folders of its plan. What a task changed in a folder can be undone, also when the\n"+
			"folder was removed from it.",
		onTask(e, "add ID FOLDER[:ro|:rw|:review]", "Share a folder with the task", cobra.ExactArgs(2), addFolder),
		onTask(e, "remove ID NAME|PATH", "Stop sharing a folder with the task", cobra.ExactArgs(2), removeFolder),
	)
	cmd.Example = "  piwork task folder add 0195 ~/Letters:review\n  piwork task folder remove 0195 Letters"
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
				s.Print("Added: %s (%s). The task sees it as %s.", words.Printable(f.Path), wording.Name("mode", f.Mode), words.Printable(wire.FoldersDir+"/"+f.Name))
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
		s.Print("Removed: %s. The task reaches nothing of it any more.", words.Printable(f.Path))
		if f.Mode != task.ModeReadOnly {
			s.Hint("What it changed there: piwork task changes %s", words.ShortID(t.ID))
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
