package wording

import (
	"fmt"

	"piwork/app/changes"
	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/share/journal"
)

// ChangeLine is one change for people; its id is what undo takes.
func ChangeLine(t task.Task, c journal.Change) string {
	line := fmt.Sprintf("%-6s %-10s %s", words.Printable(c.ID), Name("effect-done", c.Effect), ChangePath(t, c.Folder, c.Path))
	if c.From != "" {
		line += "  (" + terminal.Text("was", "path", ChangePath(t, c.Folder, c.From)) + ")"
	}
	if c.Kind == "file" && c.After != nil {
		line += "  (" + terminal.Size(c.After.Size) + ")"
	}
	switch {
	case c.Undone != nil:
		line += "  [" + terminal.Text("mark-undone") + "]"
	case c.Staged:
		line += "  [" + terminal.Text("mark-review") + "]"
	}
	return line
}

// ChangePath is the path of a change, with its folder where a task has several.
func ChangePath(t task.Task, folder, name string) string {
	for _, f := range t.Folders {
		if f.ID == folder && len(t.Folders) > 1 {
			return words.Printable(f.Name + "/" + name)
		}
	}
	return words.Printable(name)
}

// Describe says in a few words what became of a file.
func Describe(c changes.Comparison) string {
	out := Name("effect-done", c.Change.Effect)
	if c.Change.Staged {
		out += ", " + terminal.Text("mark-review")
	}
	switch c.Kind {
	case changes.KindText:
		if c.Change.Effect == journal.EffectMove && c.Text.Added+c.Text.Removed == 0 {
			break
		}
		out += ", " + terminal.Text("diff-lines", "added", c.Text.Added, "removed", c.Text.Removed)
	case changes.KindTable:
		out += ", " + terminal.Text("diff-rows", "added", c.Table.Added, "removed", c.Table.Removed, "changed", c.Table.Changed)
	case changes.KindImage:
		out += ", " + terminal.Text("diff-picture", "sides", sides(c, func(s *changes.Side) string {
			return fmt.Sprintf("%d × %d, %s", s.Width, s.Height, terminal.Size(s.Size))
		}))
	case changes.KindOther:
		out += ", " + terminal.Text("diff-other", "sides", sides(c, func(s *changes.Side) string { return terminal.Size(s.Size) }))
	default:
		if c.Change.Kind != "" && c.Change.Kind != "file" {
			out += ", " + Name("entry", c.Change.Kind)
		}
	}
	return out
}

func sides(c changes.Comparison, say func(*changes.Side) string) string {
	switch {
	case c.Before == nil && c.After == nil:
		return ""
	case c.Before == nil:
		return say(c.After)
	case c.After == nil:
		return say(c.Before)
	default:
		return say(c.Before) + " → " + say(c.After)
	}
}

// FactLine is what else changed about a file.
func FactLine(f changes.Fact) string {
	name := Name("difference", f.Code)
	if f.Before == "" && f.After == "" {
		return name
	}
	return fmt.Sprintf("%s: %s → %s", name, words.Printable(f.Before), words.Printable(f.After))
}
