package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/share/journal"

	"piwork/app/cli/wording"
)

// taskFunc is a command about one task; rest are its further arguments.
type taskFunc = func(ctx context.Context, s *session, t task.Task, rest []string) error

// onID makes a command about the task that its first argument names.
func onID(e *env, use string, args cobra.PositionalArgs, f func(ctx context.Context, s *session, id string, rest []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
		id, err := findTask(ctx, s, args[0])
		if err != nil {
			return err
		}
		return f(ctx, s, id, args[1:])
	})}
}

// onTask is onID for a command that needs the record of the task.
func onTask(e *env, use string, args cobra.PositionalArgs, f taskFunc) *cobra.Command {
	return onID(e, use, args, func(ctx context.Context, s *session, id string, rest []string) error {
		t, err := s.Task(ctx, id)
		if err != nil {
			return err
		}
		return f(ctx, s, t, rest)
	})
}

func taskCommand(e *env) *cobra.Command {
	one, some := cobra.ExactArgs(1), cobra.MinimumNArgs(1)
	return group("task",
		e.command("list", cobra.NoArgs, taskList),
		searchCommand(e),
		onTask(e, "show ID", one, taskShow),
		onTask(e, "changes ID [PATH...]", some, taskChanges),
		onTask(e, "diff ID [PATH...]", some, taskDiff),
		undoCommand(e),
		onTask(e, "redo ID [PATH...]", some, taskRedo),
		applyCommand(e),
		onTask(e, "resume ID", one, taskResume),
		onTask(e, "again ID", one, taskAgain),
		folderCommand(e),
		logCommand(e),
		resultsCommand(e),
		exportCommand(e),
		sayCommand(e),
		unsayCommand(e),
		modelCommand(e),
		compactCommand(e),
		answerCommand(e),
		onID(e, `rename ID "TITLE"`, cobra.ExactArgs(2), renameTask),
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
		return "", flags.Usage("task-id", "id", given)
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
		return "", flags.Usage("several-tasks", "count", len(found), "id", given, "list", found)
	}
}

func taskList(ctx context.Context, s *session, _ []string) error {
	tasks, err := s.Tasks(ctx)
	if err != nil {
		return err
	}
	listTasks(s.env, tasks, "no-tasks")
	return nil
}

func taskShow(ctx context.Context, s *session, t task.Task, _ []string) error {
	t, err := s.Task(ctx, t.ID)
	return s.Reply(t, err, func() {
		row := func(label, value string) { s.Print("  %-8s %s", wording.Name("label", label), words.Printable(value)) }
		s.Print("%s", wording.TaskTitle(t))
		row("id", t.ID)
		row("state", wording.Name("state", t.State))
		row("started", took(t))
		for _, f := range t.Folders {
			how := wording.Name("mode", f.Mode)
			if f.Removed != nil {
				how = terminal.Text("removed-at", "time", f.Removed.Local().Format(time.DateTime))
			}
			row("folder", f.Path+" ("+how+")")
		}
		row("network", wording.Name("network-mode", t.Network))
		if t.Accel != "" {
			row("where", terminal.Text("ran-in", "pack", t.Pack, "accel", t.Accel))
		}
		if t.AI != nil {
			row("model", t.AI.Model)
			if t.AI.Usage.Requests > 0 {
				row("used", wording.UsageWords(t.AI.Usage))
			}
		}
		if t.ExitCode != nil {
			row("program", terminal.Text("program-ended", "program", strings.Join(t.Argv, " "), "code", *t.ExitCode))
		}
		for _, r := range t.Results {
			row("made", resultPath(t, r)+" ("+terminal.Size(r.Size)+")")
		}
		for _, p := range t.Problems {
			what, _ := wording.Told(p)
			row("note", what)
		}
		if t.Error != nil {
			s.card(s.Stdout, "  ", *t.Error)
		}
	})
}

// took is when a task began, and how long it worked.
func took(t task.Task) string {
	began := t.Created.Local().Format(time.DateTime)
	if t.Started == nil || t.Ended == nil {
		return began
	}
	return terminal.Text("took", "time", began, "duration", t.Ended.Sub(*t.Started).Round(100*time.Millisecond))
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
	e.PrintText("cancelled")
	if !e.CanAsk() {
		e.HintText("with-yes")
	}
	return &ended{ExitDenied}
}

func deleteCommand(e *env) *cobra.Command {
	var undoOnly bool
	cmd := onTask(e, "delete ID", cobra.ExactArgs(1),
		func(ctx context.Context, s *session, t task.Task, _ []string) error {
			if undoOnly {
				return forgetUndo(ctx, s, t)
			}
			return taskDelete(ctx, s, t)
		})
	cmd.Flags().BoolVar(&undoOnly, "undo-only", false, "")
	return cmd
}

func taskDelete(ctx context.Context, s *session, t task.Task) error {
	if !s.Yes {
		if err := s.consent(terminal.Text("ask-delete", "title", wording.TaskTitle(t), "count", countWaiting(ctx, s, t.ID))); err != nil {
			return err
		}
	}
	return s.Reply(map[string]string{"deleted": t.ID}, s.DeleteTask(ctx, t.ID), func() { s.PrintText("deleted") })
}

// countWaiting counts changes that were not decided about; nil are none, and an error asks
// nothing more.
func countWaiting(ctx context.Context, s *session, id string) any {
	list, err := s.Changes(ctx, id)
	list = slices.DeleteFunc(list, func(c journal.Change) bool { return !c.Staged })
	if err != nil || len(list) == 0 {
		return nil
	}
	return len(list)
}

// forgetUndo gives up what is kept for undo.
func forgetUndo(ctx context.Context, s *session, t task.Task) error {
	space, err := s.UndoSpace(ctx, t.ID)
	if err != nil {
		return err
	}
	if !s.Yes {
		if err := s.consent(terminal.Text("ask-forget", "title", wording.TaskTitle(t), "bytes", space.Bytes)); err != nil {
			return err
		}
	}
	after, err := s.ForgetUndo(ctx, t.ID)
	return s.Reply(after, err, func() {
		s.PrintText("forgotten", "bytes", max(0, space.Bytes-after.Bytes))
	})
}
