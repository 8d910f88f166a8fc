package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/file"
	"piwork/app/cli/service"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/share/journal"
)

func taskCommand(e *env) *cobra.Command {
	some := cobra.MinimumNArgs(1)
	return command.Group("task",
		listCommand(e),
		searchCommand(e),
		command.OnEach(e, "show ID...", taskShow),
		command.OnTask(e, "changes ID [PATH...]", some, taskChanges),
		command.OnTask(e, "diff ID [PATH...]", some, taskDiff),
		undoCommand(e),
		command.OnTask(e, "redo ID [PATH...]", some, taskRedo),
		applyCommand(e),
		command.About(e, command.TaskWaits, command.OnEach(e, "accept ID...", acceptTask)),
		command.About(e, command.TaskAtWork, command.OnEach(e, "cancel ID...", cancelTask)),
		command.About(e, command.TaskAtWork, waitCommand(e)),
		command.About(e, command.TaskResumable, resumeCommand(e)),
		againCommand(e),
		folderCommand(e),
		file.Command(e),
		service.Requests(e),
		file.Fetch(e),
		file.Visit(e),
		logCommand(e),
		resultsCommand(e),
		exportCommand(e),
		sayCommand(e),
		unsayCommand(e),
		modelCommand(e),
		compactCommand(e),
		answerCommand(e),
		command.OnID(e, `rename ID "TITLE"`, cobra.ExactArgs(2), renameTask),
		command.About(e, command.TaskAtWork, attachCommand(e)),
		command.About(e, command.TaskOver, deleteCommand(e)),
		pruneCommand(e),
	)
}

// waitsFor says what a task that did not begin yet waits for, where that is known.
func waitsFor(ctx context.Context, s *session, t task.Task) string {
	if t.State != task.StateQueued {
		return ""
	}
	events, err := s.Timeline(ctx, t.ID, 0)
	if err != nil {
		return "" // the rest can be shown all the same
	}
	for _, e := range slices.Backward(events) {
		if step, ok := e.Data.(task.StepData); ok {
			return " (" + wording.Name("step", step.Step) + ")"
		}
	}
	return ""
}

func taskShow(ctx context.Context, s *session, t task.Task) error {
	return s.Reply(t, nil, func() {
		row := func(label, value string) { s.Print("  %-8s %s", wording.Name("label", label), words.Printable(value)) }
		s.Print("%s%s", wording.TaskTitle(t), notApart(t))
		row("id", t.ID)
		row("state", wording.Name("state", t.State)+waitsFor(ctx, s, t))
		row("started", took(t))
		for _, f := range t.Folders {
			how := wording.Name("mode", f.Mode)
			if f.Removed != nil {
				how = terminal.Text("removed-at", "time", f.Removed.Local().Format(time.DateTime))
			}
			row("folder", f.Path+" ("+how+")")
		}
		row("network", wording.Name("network-mode", t.Network))
		if len(t.Services) > 0 {
			row("services", strings.Join(t.Services, ", "))
		}
		if t.Pack != "" {
			row("where", terminal.Text("ran-in", "where", wording.Name("runtime", t.Runtime), "pack", t.Pack, "accel", t.Accel))
		}
		if t.AI != nil {
			row("model", t.AI.Model)
			if t.AI.Usage.Requests > 0 {
				row("used", wording.UsageWords(t.AI.Usage))
			}
		}
		if t.ExitCode != nil {
			row("program", terminal.Text("program-ended", "program", strings.Join(t.Argv, " "), "code", *t.ExitCode))
			if used := wording.ProgramUsed(t.CPUMS, t.PeakKB); used != "" {
				row("used", used)
			}
		}
		for _, r := range t.Results {
			row("made", resultPath(t, r)+" ("+terminal.Size(r.Size)+")")
		}
		for _, p := range t.Problems {
			what, _ := wording.Told(p)
			row("note", what)
		}
		if t.Error != nil {
			s.CardOf(s.Stdout, "  ", t)
		}
		if plan, err := s.Plan(ctx, t.ID); t.State == task.StateWaiting && err == nil {
			s.Print("%s", strings.Join(wording.PlanLines(plan, s.Verbose), "\n"))
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

func deleteCommand(e *env) *cobra.Command {
	var undoOnly, abandonUndo bool
	cmd := command.OnEach(e, "delete ID...",
		func(ctx context.Context, s *session, t task.Task) error {
			if undoOnly {
				return forgetUndo(ctx, s, t, abandonUndo)
			}
			return taskDelete(ctx, s, t, abandonUndo)
		})
	cmd.Flags().BoolVar(&undoOnly, "undo-only", false, "")
	cmd.Flags().BoolVar(&abandonUndo, "abandon-undo", false, "")
	return cmd
}

func taskDelete(ctx context.Context, s *session, t task.Task, abandonUndo bool) error {
	if !s.Yes {
		if err := s.Consent(ctx, terminal.Text("ask-delete", "title", wording.TaskTitle(t), "count", waiting(ctx, s, t.ID), "abandon", abandonUndo)); err != nil {
			return err
		}
	}
	return s.Reply(map[string]string{"deleted": t.ID}, s.DeleteTask(ctx, t.ID, abandonUndo), func() { s.PrintText("deleted") })
}

// countWaiting counts changes that were not decided about.
func countWaiting(ctx context.Context, s *session, id string) (int, error) {
	list, err := s.Changes(ctx, id)
	return len(slices.DeleteFunc(list, func(c journal.Change) bool { return !c.Staged })), err
}

// waiting is countWaiting for a question: nil are none, and what can't be read asks nothing
// more.
func waiting(ctx context.Context, s *session, id string) any {
	if n, err := countWaiting(ctx, s, id); err == nil && n > 0 {
		return n
	}
	return nil
}

// forgetUndo gives up what is kept for undo.
func forgetUndo(ctx context.Context, s *session, t task.Task, abandonUndo bool) error {
	space, err := s.UndoSpace(ctx, t.ID)
	if err != nil {
		return err
	}
	if !s.Yes {
		if err := s.Consent(ctx, terminal.Text("ask-forget", "title", wording.TaskTitle(t), "bytes", space.Bytes, "abandon", abandonUndo)); err != nil {
			return err
		}
	}
	after, err := s.ForgetUndo(ctx, t.ID, abandonUndo)
	return s.Reply(after, err, func() {
		s.PrintText("forgotten", "bytes", max(0, space.Bytes-after.Bytes))
	})
}
