package cli

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/share/journal"
)

func undoCommand(e *env) *cobra.Command {
	var answer string
	cmd := command.OnTask(e, "undo ID [PATH...]", cobra.MinimumNArgs(1),
		func(ctx context.Context, s *session, t task.Task, named []string) error {
			return taskUndo(ctx, s, t, named, journal.Resolution(answer))
		})
	addAnswer(cmd, &answer)
	return cmd
}

func applyCommand(e *env) *cobra.Command {
	var answer string
	var discard bool
	cmd := command.OnTask(e, "apply ID [PATH...]", cobra.MinimumNArgs(1),
		func(ctx context.Context, s *session, t task.Task, named []string) error {
			return taskApply(ctx, s, t, named, discard, journal.Resolution(answer))
		})
	cmd.Flags().BoolVar(&discard, "discard", false, "")
	addAnswer(cmd, &answer)
	return cmd
}

// addAnswer adds the flag that decides about conflicts.
func addAnswer(cmd *cobra.Command, answer *string) {
	ways := []string{string(journal.Keep), string(journal.Restore), string(journal.Both)}
	cmd.Flags().StringVar(answer, "on-conflict", "", "")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *answer != "" && !slices.Contains(ways, *answer) {
			return flags.Usage("one-of", "flag", "--on-conflict", "value", *answer, "choices", ways)
		}
		return nil
	}
	_ = cmd.RegisterFlagCompletionFunc("on-conflict", cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// found are changes of a task; ids are those of a request, nil when nothing was named
// (all of them).
type found struct {
	changes []journal.Change
	ids     []string
}

// findChanges returns the changes that are named and wanted.
func findChanges(ctx context.Context, s *session, t task.Task, named []string, wanted func(journal.Change) bool) (f found, err error) {
	all, err := s.Changes(ctx, t.ID)
	if err == nil {
		all, err = choose(t, all, named)
	}
	for _, c := range all {
		if !wanted(c) {
			continue
		}
		f.changes = append(f.changes, c)
		if len(named) > 0 {
			f.ids = append(f.ids, c.ID)
		}
	}
	return f, err
}

// choose returns the changes that arguments name: by id, by path, or what lies in
// a folder. Without arguments it is all of them.
func choose(t task.Task, all []journal.Change, named []string) ([]journal.Change, error) {
	if len(named) == 0 {
		return slices.Clone(all), nil
	}
	chosen := map[string]bool{}
	for _, arg := range named {
		hit := false
		for _, c := range all {
			if c.ID == arg || isAt(t, c, arg) {
				hit, chosen[c.ID] = true, true
			}
		}
		if !hit {
			return nil, flags.Usage("no-change", "name", arg)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c journal.Change) bool { return !chosen[c.ID] }), nil
}

// isAt reports whether a change is at a path, or below it: as it is listed, or the
// full path on this computer.
func isAt(t task.Task, c journal.Change, arg string) bool {
	for _, p := range []string{c.Path, c.From} {
		if p == "" {
			continue
		}
		for _, f := range t.Folders {
			if f.ID != c.Folder {
				continue
			}
			if below(filepath.Clean(arg), filepath.Join(f.Path, filepath.FromSlash(p))) || len(t.Folders) > 1 && below(path.Clean(arg), f.Name+"/"+p) {
				return true
			}
		}
		if below(path.Clean(filepath.ToSlash(arg)), p) {
			return true
		}
	}
	return false
}

// below reports whether p is dir or lies in it.
func below(dir, p string) bool {
	rest, ok := strings.CutPrefix(p, strings.TrimRight(dir, `/\`))
	return ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator)
}

func taskChanges(ctx context.Context, s *session, t task.Task, named []string) error {
	f, err := findChanges(ctx, s, t, named, func(journal.Change) bool { return true })
	if err != nil {
		return err
	}
	if f.changes == nil {
		f.changes = []journal.Change{}
	}
	space, err := s.UndoSpace(ctx, t.ID)
	if err != nil {
		return err
	}
	return s.Reply(f.changes, nil, func() {
		if space.Unfinished {
			s.HintText("undo-unfinished")
		}
		if len(f.changes) == 0 {
			s.PrintText("no-changes")
			return
		}
		waits, stands := 0, 0
		for _, c := range f.changes {
			s.Print("%s", wording.ChangeLine(t, c))
			switch {
			case c.Staged:
				waits++
			case c.Undone == nil:
				stands++
			}
		}
		if waits > 0 {
			s.HintText("staged", "count", waits, "id", words.ShortID(t.ID))
		}
		if stands > 0 {
			s.HintText("preview-undo", "id", words.ShortID(t.ID))
		}
	})
}

// askedChanges returns the changes that are named and wanted, and the digest of all that is done with
// them, after the person agreed to that list: what goes along stands in it.
func askedChanges(ctx context.Context, s *session, t task.Task, named []string, how, question string, wanted func(journal.Change) bool) (f found, digest string, err error) {
	f, err = findChanges(ctx, s, t, named, wanted)
	if err != nil || len(f.changes) == 0 {
		return f, "", err
	}
	p, err := s.Preview(ctx, t.ID, history.PreviewRequest{How: how, IDs: f.ids})
	if err != nil || len(p.Changes) == 0 || s.Yes {
		return f, p.Digest, err
	}
	for _, c := range p.Changes {
		fmt.Fprintln(s.Stderr, wording.ChangeLine(t, c))
	}
	return f, p.Digest, s.Consent(ctx, terminal.Text(question, "count", len(p.Changes)))
}

func taskUndo(ctx context.Context, s *session, t task.Task, named []string, answer journal.Resolution) error {
	f, digest, err := askedChanges(ctx, s, t, named, history.ByUndo, "ask-undo", func(c journal.Change) bool { return c.Undone == nil && !c.Staged })
	if err != nil {
		return err
	}
	report := journal.Report{Undone: []journal.Change{}, Conflicts: []journal.Conflict{}}
	if len(f.changes) > 0 {
		if report, err = s.Undo(ctx, t.ID, history.UndoRequest{IDs: f.ids, Digest: digest, OnConflict: answer}); err != nil {
			return err
		}
	}
	s.Show(report, func() {
		if len(report.Undone)+len(report.Conflicts)+len(report.Kept) == 0 {
			s.PrintText("nothing-undo")
		}
		for _, c := range report.Undone {
			printDone(s.Env, t, "did-undo", c, report.Beside[c.ID])
		}
		for _, c := range report.Kept {
			printDone(s.Env, t, "did-keep", c, "")
		}
		printConflicts(s.Env, t, report.Conflicts, "undo "+words.ShortID(t.ID))
		if len(report.Undone) > 0 {
			s.HintText("redo", "id", words.ShortID(t.ID))
		}
	})
	return endConflict(report.Conflicts)
}

// printDone says what was done about a change, and at which other name that is; "" for
// none.
func printDone(e *env, t task.Task, did string, c journal.Change, beside string) {
	line := fmt.Sprintf("%-10s  %s", terminal.Text(did), wording.ChangePath(t, c.Folder, c.Path))
	if beside != "" {
		line += "  (" + terminal.Text("beside", "path", wording.ChangePath(t, c.Folder, beside)) + ")"
	}
	e.Print("%s", line)
}

// printConflicts says what was left alone, and how it is decided.
func printConflicts(e *env, t task.Task, list []journal.Conflict, command string) {
	for _, c := range list {
		e.Print("%-10s  %s: %s", terminal.Text("did-skip"), wording.ChangePath(t, c.Change.Folder, c.Change.Path), wording.Name("conflict", c.Reason))
		if c.Detail != "" && e.Verbose {
			e.Print("            %s", words.Printable(c.Detail))
		}
	}
	if n := len(list); n > 0 {
		e.PrintText("conflicts", "count", n)
		if command != "" {
			e.HintText("decide", "command", command)
		}
	}
}

func endConflict(list []journal.Conflict) error {
	if len(list) > 0 {
		return &command.Ended{Code: ExitConflict}
	}
	return nil
}

func taskRedo(ctx context.Context, s *session, t task.Task, named []string) error {
	f, digest, err := askedChanges(ctx, s, t, named, history.ByRedo, "ask-redo", func(c journal.Change) bool { return c.Undone != nil })
	if err != nil {
		return err
	}
	report := history.RedoReport{Redone: []journal.Change{}, Conflicts: []journal.Conflict{}}
	if len(f.changes) > 0 {
		if report, err = s.Redo(ctx, t.ID, history.RedoRequest{IDs: f.ids, Digest: digest}); err != nil {
			return err
		}
	}
	s.Show(report, func() {
		if len(report.Redone)+len(report.Conflicts) == 0 {
			s.PrintText("nothing-redo")
		}
		for _, c := range report.Redone {
			printDone(s.Env, t, "did-redo", c, "")
		}
		printConflicts(s.Env, t, report.Conflicts, "")
	})
	return endConflict(report.Conflicts)
}

func taskApply(ctx context.Context, s *session, t task.Task, named []string, discard bool, answer journal.Resolution) error {
	how, question := history.ByApply, "ask-apply"
	if discard {
		how, question = history.ByDiscard, "ask-discard"
	}
	f, digest, err := askedChanges(ctx, s, t, named, how, question, func(c journal.Change) bool { return c.Staged })
	if err != nil {
		return err
	}
	report := history.ApplyReport{Applied: []journal.Change{}, Discarded: []journal.Change{}, Conflicts: []journal.Conflict{}}
	if len(f.changes) > 0 {
		if report, err = s.Apply(ctx, t.ID, history.ApplyRequest{IDs: f.ids, Digest: digest, Discard: discard, OnConflict: answer}); err != nil {
			return err
		}
	}
	s.Show(report, func() {
		if len(report.Applied)+len(report.Discarded)+len(report.Conflicts) == 0 {
			s.PrintText("nothing-review")
		}
		for _, c := range report.Applied {
			printDone(s.Env, t, "did-apply", c, report.Beside[c.ID])
		}
		for _, c := range report.Discarded {
			printDone(s.Env, t, "did-discard", c, report.Beside[c.ID])
		}
		printConflicts(s.Env, t, report.Conflicts, "apply "+words.ShortID(t.ID))
	})
	return endConflict(report.Conflicts)
}
