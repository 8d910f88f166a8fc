package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

func (e *env) taskCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "task",
		Short: "What was done: look at it, take it back, delete it",
		Long:  "ID is the id of a task or its beginning, as long as only one task begins so.",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	one := func(use, short string, f func(ctx context.Context, s *session, id string, rest []string) error, args cobra.PositionalArgs) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: args, RunE: do(func(ctx context.Context, args []string) error {
			return e.with(ctx, func(ctx context.Context, s *session) error {
				id, err := findTask(ctx, s, args[0])
				if err != nil {
					return err
				}
				return f(ctx, s, id, args[1:])
			})
		})}
	}
	results := one("results ID", "List what a task made, or save it", e.taskResults, cobra.ExactArgs(1))
	results.Flags().String("out", "", "copy the results into this folder")
	results.RunE = do(func(ctx context.Context, args []string) error {
		out, _ := results.Flags().GetString("out")
		return e.with(ctx, func(ctx context.Context, s *session) error {
			id, err := findTask(ctx, s, args[0])
			if err != nil {
				return err
			}
			if out != "" {
				return e.saveResults(ctx, s, id, out)
			}
			return e.taskResults(ctx, s, id, nil)
		})
	})
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List all tasks, newest first", Args: cobra.NoArgs,
			RunE: do(func(ctx context.Context, _ []string) error { return e.with(ctx, e.taskList) }),
		},
		one("show ID", "Show the record of a task", e.taskShow, cobra.ExactArgs(1)),
		one("changes ID", "List what a task changed", e.taskChanges, cobra.ExactArgs(1)),
		one("undo ID [CHANGE...]", "Take changes of a task back: all, or those named", e.taskUndo, cobra.MinimumNArgs(1)),
		one("log ID", "Show what happened, step by step", e.taskLog, cobra.ExactArgs(1)),
		results,
		one("delete ID", "Delete a task's record; its changes stay, and cannot be taken back any more", e.taskDelete, cobra.ExactArgs(1)),
	)
	return cmd
}

var idPattern = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

const (
	fullID    = 36 // of a UUID
	shortIDAt = 13 // the part of a UUIDv7 that is its millisecond
)

// findTask returns the id of the only task that begins with what was given.
func findTask(ctx context.Context, s *session, given string) (string, error) {
	if !idPattern.MatchString(given) {
		return "", usage("%q is no id of a task", given)
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
		return "", usage("%s tasks begin with %s: %s", fmt.Sprint(len(found)), given, strings.Join(found, ", "))
	}
}

func shortID(id string) string { return id[:min(len(id), shortIDAt)] }

func (e *env) taskList(ctx context.Context, s *session) error {
	tasks, err := s.Tasks(ctx)
	if err != nil {
		return err
	}
	e.answer(tasks, func() {
		if len(tasks) == 0 {
			e.say("There are no tasks yet.")
		}
		seen := map[string]int{}
		for _, t := range tasks {
			seen[shortID(t.ID)]++
		}
		for _, t := range tasks {
			id := shortID(t.ID)
			if seen[id] > 1 {
				id = t.ID
			}
			e.say("%s  %s  %-8s  %s", printable(id), t.Created.Local().Format("2006-01-02 15:04"), word(stateWords, t.State), taskTitle(t))
		}
	})
	return nil
}

// taskTitle is what a task is called; the controller makes titles of the rest.
func taskTitle(t task.Task) string {
	switch {
	case t.Kind == task.KindChore && t.Chore != "":
		names := make([]string, 0, len(t.Folders))
		for _, f := range t.Folders {
			names = append(names, printable(f.Name))
		}
		return choreTitle(t.Chore) + ": " + strings.Join(names, ", ")
	case t.Title != "":
		return printable(t.Title)
	default:
		return printable(strings.Join(t.Argv, " "))
	}
}

func (e *env) taskShow(ctx context.Context, s *session, id string, _ []string) error {
	t, err := s.Task(ctx, id)
	if err != nil {
		return err
	}
	e.answer(t, func() {
		e.say("%s", taskTitle(t))
		e.say("  id       %s", printable(t.ID))
		e.say("  state    %s", word(stateWords, t.State))
		e.say("  started  %s%s", t.Created.Local().Format(time.DateTime), took(t))
		for _, f := range t.Folders {
			e.say("  folder   %s (%s)", printable(f.Path), word(modeWords, f.Mode))
		}
		e.say("  network  %s", printable(string(t.Network)))
		if t.Accel != "" {
			e.say("  where    workroom of pack %s, %s", printable(t.Pack), printable(t.Accel))
		}
		if t.ExitCode != nil {
			e.say("  program  %s: ended with code %d", printable(strings.Join(t.Argv, " ")), *t.ExitCode)
		}
		for _, r := range t.Results {
			e.say("  made     %s (%s)", printable(resultPath(t, r)), size(r.Size))
		}
		for _, p := range t.Problems {
			what, _ := words(p)
			e.say("  note     %s", what)
		}
		if t.Error != nil {
			e.card(e.Stdout, "  ", *t.Error)
		}
	})
	return nil
}

func took(t task.Task) string {
	if t.Started == nil || t.Ended == nil {
		return ""
	}
	return fmt.Sprintf(", took %s", t.Ended.Sub(*t.Started).Round(100*time.Millisecond))
}

func (e *env) taskChanges(ctx context.Context, s *session, id string, _ []string) error {
	changes, err := s.Changes(ctx, id)
	if err != nil {
		return err
	}
	t, err := s.Task(ctx, id)
	if err != nil {
		return err
	}
	e.answer(changes, func() {
		if len(changes) == 0 {
			e.say("It changed nothing.")
		}
		for _, c := range changes {
			e.say("%s", changeLine(t, c))
		}
	})
	return nil
}

// changeLine is one change for people; its id is what undo takes.
func changeLine(t task.Task, c journal.Change) string {
	line := fmt.Sprintf("%-6s %-8s %s", printable(c.ID), word(changeWords, c.Effect), changePath(t, c.Folder, c.Path))
	if c.From != "" {
		line += "  (was " + changePath(t, c.Folder, c.From) + ")"
	}
	if c.Kind == "file" && c.After != nil {
		line += "  (" + size(c.After.Size) + ")"
	}
	if c.Undone != nil {
		line += "  [taken back]"
	}
	return line
}

func changePath(t task.Task, folder, path string) string {
	for _, f := range t.Folders {
		if f.ID == folder && len(t.Folders) > 1 {
			return printable(f.Name + "/" + path)
		}
	}
	return printable(path)
}

func (e *env) taskUndo(ctx context.Context, s *session, id string, ids []string) error {
	t, err := s.Task(ctx, id)
	if err != nil {
		return err
	}
	changes, err := s.Changes(ctx, id)
	if err != nil {
		return err
	}
	wanted, err := choose(changes, ids)
	if err != nil {
		return err
	}
	if len(wanted) > 0 && !e.yes {
		for _, c := range wanted {
			fmt.Fprintln(e.Stderr, changeLine(t, c))
		}
		if err := e.consent(fmt.Sprintf("Take %s back?", plural(len(wanted), "this change", fmt.Sprintf("these %d changes", len(wanted))))); err != nil {
			return err
		}
	}
	report := app.UndoReport{Undone: []journal.Change{}, Conflicts: []app.UndoConflict{}}
	if len(wanted) > 0 {
		if report, err = s.Undo(ctx, id, app.UndoRequest{IDs: ids}); err != nil {
			return err
		}
	}
	e.answer(report, func() { e.undone(t, report) })
	if len(report.Conflicts) > 0 {
		return &ended{ExitConflict}
	}
	return nil
}

// choose returns the changes that are not taken back yet, of those named.
func choose(changes []journal.Change, ids []string) ([]journal.Change, error) {
	byID := map[string]journal.Change{}
	for _, c := range changes {
		byID[c.ID] = c
	}
	var out []journal.Change
	if len(ids) == 0 {
		for _, c := range changes {
			if c.Undone == nil {
				out = append(out, c)
			}
		}
		return out, nil
	}
	for _, id := range ids {
		c, ok := byID[id]
		if !ok {
			return nil, usage("the task has no change %q; see: piwork task changes", id)
		}
		if c.Undone == nil {
			out = append(out, c)
		}
	}
	return out, nil
}

func (e *env) undone(t task.Task, r app.UndoReport) {
	if len(r.Undone) == 0 && len(r.Conflicts) == 0 {
		e.say("There is nothing to take back.")
	}
	for _, c := range r.Undone {
		e.say("taken back  %s", changePath(t, c.Folder, c.Path))
	}
	for _, c := range r.Conflicts {
		e.say("LEFT ALONE  %s: %s", changePath(t, c.Change.Folder, c.Change.Path), word(conflictWords, c.Reason))
		if c.Detail != "" && e.verbose {
			e.say("            %s", printable(c.Detail))
		}
	}
	if n := len(r.Conflicts); n > 0 {
		e.say("%s left alone, so that nothing newer is lost.", plural(n, "1 change was", fmt.Sprintf("%d changes were", n)))
	}
}

// consent asks on a terminal; without one only --yes is a yes.
func (e *env) consent(question string) error {
	if e.yes || e.canAsk() && e.ask(question) {
		return nil
	}
	if e.json {
		e.problem(*problem.New(problem.CodeDenied))
		return &ended{ExitDenied}
	}
	e.say("Nothing was changed.")
	if !e.canAsk() {
		e.hint("To do it, run the same command with --yes.")
	}
	return &ended{ExitDenied}
}

func (e *env) taskDelete(ctx context.Context, s *session, id string, _ []string) error {
	t, err := s.Task(ctx, id)
	if err != nil {
		return err
	}
	if !e.yes {
		if err := e.consent("Delete the record of “" + taskTitle(t) + "”? Its changes stay, and cannot be taken back any more."); err != nil {
			return err
		}
	}
	if err := s.DeleteTask(ctx, id); err != nil {
		return err
	}
	e.answer(map[string]string{"deleted": id}, func() { e.say("Deleted.") })
	return nil
}
