package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

// taskFunc is a command about one task; rest are its further arguments.
type taskFunc = func(ctx context.Context, s *session, t task.Task, rest []string) error

// onID makes a command about the task that its first argument names.
func onID(e *env, use, short string, args cobra.PositionalArgs, f func(ctx context.Context, s *session, id string, rest []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
		id, err := findTask(ctx, s, args[0])
		if err != nil {
			return err
		}
		return f(ctx, s, id, args[1:])
	})}
}

// onTask is onID for a command that needs the record of the task.
func onTask(e *env, use, short string, args cobra.PositionalArgs, f taskFunc) *cobra.Command {
	return onID(e, use, short, args, func(ctx context.Context, s *session, id string, rest []string) error {
		t, err := s.Task(ctx, id)
		if err != nil {
			return err
		}
		return f(ctx, s, t, rest)
	})
}

func taskCommand(e *env) *cobra.Command {
	one, some := cobra.ExactArgs(1), cobra.MinimumNArgs(1)
	return group("task", "List tasks; show, undo and delete them",
		"ID is the id of a task or its beginning, as long as only one task begins so.\n"+
			"PATH is a file or a folder as it is listed, its full path, or the id of a change.",
		&cobra.Command{Use: "list", Short: "List all tasks, newest first", Args: cobra.NoArgs, RunE: e.connected(taskList)},
		searchCommand(e),
		onTask(e, "show ID", "Show the record of a task", one, taskShow),
		onTask(e, "changes ID [PATH...]", "List what a task changed", some, taskChanges),
		onTask(e, "diff ID [PATH...]", "Show changes line by line", some, taskDiff),
		undoCommand(e),
		onTask(e, "redo ID [PATH...]", "Redo changes that were undone", some, taskRedo),
		applyCommand(e),
		onTask(e, "resume ID", "Resume a task that was interrupted, stopped or failed", one, taskResume),
		onTask(e, "again ID", "Run a task again as a new one", one, taskAgain),
		folderCommand(e),
		logCommand(e),
		resultsCommand(e),
		exportCommand(e),
		sayCommand(e),
		unsayCommand(e),
		modelCommand(e),
		compactCommand(e),
		answerCommand(e),
		onID(e, `rename ID "TITLE"`, "Rename a task; an empty title restores the first one", cobra.ExactArgs(2), renameTask),
		deleteCommand(e),
	)
}

var idPattern = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

const (
	fullID = 36 // of a UUID
)

// findTask returns the id of the only task that begins with what was given.
func findTask(ctx context.Context, s *session, given string) (string, error) {
	if !idPattern.MatchString(given) {
		return "", flags.Usage("%q is no id of a task", given)
	}
	given = strings.ToLower(given)
	if len(given) == fullID {
		return given, nil
	}
	tasks, err := s.Tasks(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, t := range tasks {
		if strings.HasPrefix(t.ID, given) {
			found = append(found, t.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", problem.New(problem.CodeNotFound).With("task", given)
	default:
		return "", flags.Usage("%s tasks begin with %s: %s", fmt.Sprint(len(found)), given, strings.Join(found, ", "))
	}
}

func taskList(ctx context.Context, s *session, _ []string) error {
	tasks, err := s.Tasks(ctx)
	if err != nil {
		return err
	}
	listTasks(s.env, tasks, "There are no tasks yet.")
	return nil
}

func taskShow(ctx context.Context, s *session, t task.Task, _ []string) error {
	t, err := s.Task(ctx, t.ID)
	return s.Reply(t, err, func() {
		s.Print("%s", wording.TaskTitle(t))
		s.Print("  id       %s", words.Printable(t.ID))
		s.Print("  state    %s", wording.Name("state", t.State))
		s.Print("  started  %s%s", t.Created.Local().Format(time.DateTime), took(t))
		for _, f := range t.Folders {
			how := wording.Name("mode", f.Mode)
			if f.Removed != nil {
				how = "removed " + f.Removed.Local().Format(time.DateTime)
			}
			s.Print("  folder   %s (%s)", words.Printable(f.Path), how)
		}
		s.Print("  network  %s", words.Printable(string(t.Network)))
		if t.Accel != "" {
			s.Print("  where    workroom of pack %s, %s", words.Printable(t.Pack), words.Printable(t.Accel))
		}
		if t.AI != nil {
			s.Print("  model    %s", words.Printable(t.AI.Model))
			if t.AI.Usage.Requests > 0 {
				s.Print("  used     %s", wording.UsageWords(t.AI.Usage))
			}
		}
		if t.ExitCode != nil {
			s.Print("  program  %s: ended with code %d", words.Printable(strings.Join(t.Argv, " ")), *t.ExitCode)
		}
		for _, r := range t.Results {
			s.Print("  made     %s (%s)", words.Printable(resultPath(t, r)), terminal.Size(r.Size))
		}
		for _, p := range t.Problems {
			what, _ := wording.Told(p)
			s.Print("  note     %s", what)
		}
		if t.Error != nil {
			s.card(s.Stdout, "  ", *t.Error)
		}
	})
}

func took(t task.Task) string {
	if t.Started == nil || t.Ended == nil {
		return ""
	}
	return fmt.Sprintf(", took %s", t.Ended.Sub(*t.Started).Round(100*time.Millisecond))
}

// consent asks on a terminal; without one only --yes is a yes.
func (e *env) consent(question string) error {
	if e.Yes || e.CanAsk() && e.Ask(question) {
		return nil
	}
	if e.JSON {
		e.problem(*problem.New(problem.CodeDenied))
		return &ended{ExitDenied}
	}
	e.Print("Nothing was changed.")
	if !e.CanAsk() {
		e.Hint("To do it, run the same command with --yes.")
	}
	return &ended{ExitDenied}
}

func deleteCommand(e *env) *cobra.Command {
	var undoOnly bool
	cmd := onTask(e, "delete ID", "Delete a task's record; its changes stay and can't be undone any more", cobra.ExactArgs(1),
		func(ctx context.Context, s *session, t task.Task, _ []string) error {
			if undoOnly {
				return forgetUndo(ctx, s, t)
			}
			return taskDelete(ctx, s, t)
		})
	cmd.Flags().BoolVar(&undoOnly, "undo-only", false, "delete only the undo data; keep the record and the list of changes")
	return cmd
}

func taskDelete(ctx context.Context, s *session, t task.Task) error {
	if !s.Yes {
		question := "Delete the record of “" + wording.TaskTitle(t) + "”? Its changes stay, and can no longer be undone."
		if n := countWaiting(ctx, s, t.ID); n > 0 {
			question += fmt.Sprintf(" %s for review, and %s discarded.", terminal.Plural(n, "1 change waits", fmt.Sprintf("%d changes wait", n)), terminal.Plural(n, "is", "are"))
		}
		if err := s.consent(question); err != nil {
			return err
		}
	}
	return s.Reply(map[string]string{"deleted": t.ID}, s.DeleteTask(ctx, t.ID), func() { s.Print("Deleted.") })
}

// countWaiting counts changes that were not decided about; an error asks nothing
// more.
func countWaiting(ctx context.Context, s *session, id string) int {
	list, err := s.Changes(ctx, id)
	if err != nil {
		return 0
	}
	n := 0
	for _, c := range list {
		if c.Staged {
			n++
		}
	}
	return n
}

// forgetUndo gives up what is kept for undo.
func forgetUndo(ctx context.Context, s *session, t task.Task) error {
	space, err := s.UndoSpace(ctx, t.ID)
	if err != nil {
		return err
	}
	if !s.Yes {
		if err := s.consent(fmt.Sprintf("Give up undo of “%s”? %s become free, and its changes can no longer be undone.", wording.TaskTitle(t), terminal.Size(space.Bytes))); err != nil {
			return err
		}
	}
	after, err := s.ForgetUndo(ctx, t.ID)
	return s.Reply(after, err, func() {
		s.Print("%s are free. The changes stay listed.", terminal.Size(max(0, space.Bytes-after.Bytes)))
	})
}
