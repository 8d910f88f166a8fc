package cli

import (
	"context"
	"fmt"
	"strings"

	"piwork/app/changes"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/share/journal"
)

// nowhere is what programs that read differences take for no file, everywhere.
const nowhere = "/dev/null"

// maxDiffs is how many changes are shown on a terminal where none was named.
const maxDiffs = 200

func taskDiff(ctx context.Context, s *session, t task.Task, named []string) error {
	f, err := findChanges(ctx, s, t, named, func(c journal.Change) bool { return c.Undone == nil })
	if err != nil {
		return err
	}
	more := 0
	if len(named) == 0 && len(f.changes) > maxDiffs && !s.JSON && s.IsTerminal(s.Stdout) {
		more, f.changes = len(f.changes)-maxDiffs, f.changes[:maxDiffs]
	}
	all := []changes.Comparison{}
	for _, c := range f.changes {
		compared, err := s.CompareChange(ctx, t.ID, c.ID)
		if err != nil {
			return err
		}
		if s.JSON {
			all = append(all, compared)
			continue
		}
		printDifference(s.Env, t, compared)
	}
	if s.JSON {
		s.Document(all)
		return nil
	}
	if len(f.changes) == 0 {
		s.PrintText("diff-none")
	}
	if more > 0 {
		s.HintText("diff-more", "count", more)
	}
	return nil
}

// printDifference shows one change: as diff -u does where it is a text, else in words.
func printDifference(e *env, t task.Task, c changes.Comparison) {
	name := wording.ChangePath(t, c.Change.Folder, c.Change.Path)
	was := name
	if c.Change.From != "" {
		was = wording.ChangePath(t, c.Change.Folder, c.Change.From)
	}
	e.Print("%s", e.Paint(terminal.Bold, name+": "+wording.Describe(c)))
	for _, f := range c.Facts {
		if line := wording.FactLine(f); line != "" {
			e.Print("  %s", line)
		}
	}
	for _, side := range []*changes.Side{c.Before, c.After} {
		if side != nil && side.Missing != "" {
			e.Print("  %s", wording.Name("missing", side.Missing))
			break
		}
	}
	if c.Text == nil {
		return
	}
	if p := c.Text.Part; p != nil {
		e.Print("  %s", terminal.Text("diff-part", "bytes", p.Bytes, "from", p.From))
	}
	if len(c.Text.Hunks) == 0 {
		return
	}
	if c.Before == nil {
		was = nowhere
	}
	now := name
	if c.After == nil {
		now = nowhere
	}
	e.Print("%s", e.Paint(terminal.Bold, "--- "+was))
	e.Print("%s", e.Paint(terminal.Bold, "+++ "+now))
	for _, h := range c.Text.Hunks {
		e.Print("%s", e.Paint(terminal.Cyan, fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.Before, h.BeforeLines, h.After, h.AfterLines)))
		for _, l := range h.Lines {
			printDiffLine(e, l)
		}
	}
	if c.Text.Cut {
		e.Print("  %s", terminal.Text("diff-cut"))
	}
}

func printDiffLine(e *env, l changes.Line) {
	text := l.Text
	if l.Start {
		text = "…" + text
	}
	if l.Cut {
		text += "…"
	}
	parts := strings.Split(text, "\t")
	for i := range parts {
		parts[i] = words.Printable(parts[i])
	}
	text = strings.Join(parts, "\t")
	switch l.Op {
	case changes.Added:
		e.Print("%s", e.Paint(terminal.Green, "+"+text))
	case changes.Removed:
		e.Print("%s", e.Paint(terminal.Red, "-"+text))
	default:
		e.Print(" %s", text)
	}
	if l.Open {
		e.Print("\\ No newline at end of file")
	}
}
