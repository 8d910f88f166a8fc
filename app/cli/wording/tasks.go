package wording

import (
	"fmt"
	"piwork/app/chore"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost"
	"strconv"
	"strings"
)

// UsageWords say what was used of models.
func UsageWords(u task.Usage) string {
	line := terminal.Count(int(u.Requests), "request") + ", " + terminal.Count(int(u.Input+u.CacheRead+u.CacheWrite), "token") + " read, " + terminal.Count(int(u.Output), "token") + " written"
	switch {
	case u.Cost > 0 && u.Unknown:
		line += "; at least $" + dollars(u.Cost)
	case u.Cost > 0:
		line += "; $" + dollars(u.Cost)
	case u.Unknown:
		line += "; its price is not known"
	}
	return line
}

func dollars(micro int64) string { return strconv.FormatFloat(float64(micro)/1e6, 'f', 4, 64) }

// TaskTitle is what a task is called; the controller makes titles of the rest.
func TaskTitle(t task.Task) string {
	switch {
	case t.Chore != "" && !t.Titled:
		names := make([]string, 0, len(t.Folders))
		for _, f := range t.Folders {
			names = append(names, terminal.Printable(f.Name))
		}
		return Texts().ChoreTitle(t.Chore) + ": " + strings.Join(names, ", ")
	case t.Title != "":
		return terminal.Printable(t.Title)
	default:
		return terminal.Printable(strings.Join(t.Argv, " "))
	}
}

// EventWords is one line for an event.
func EventWords(ev task.Event) string {
	switch d := ev.Data.(type) {
	case task.StateData:
		line := "state: " + Word(StateWords, d.State)
		if d.Error != nil {
			what, _ := Told(*d.Error)
			line += ": " + what
		}
		return line
	case task.StepData:
		return Word(StepWords, d.Step)
	case chore.Plan:
		return fmt.Sprintf("plan: %s, %s left out", terminal.Count(len(d.Operations), "operation"), terminal.Count(len(d.Skipped), "file"))
	case problem.Problem:
		what, _ := Told(d)
		return "note: " + what
	case task.Result:
		return "made: " + terminal.Printable(d.Path)
	case task.UndoData:
		return fmt.Sprintf("taken back: %s; left alone: %d", terminal.Count(len(d.Undone), "change"), len(d.Conflicts))
	case task.RedoData:
		return fmt.Sprintf("done again: %s; left alone: %d", terminal.Count(len(d.Redone), "change"), len(d.Conflicts))
	case task.ApplyData:
		return fmt.Sprintf("applied: %s; discarded: %d; left waiting: %d", terminal.Count(len(d.Applied), "change"), len(d.Discarded), len(d.Conflicts))
	case task.FolderData:
		if d.Folder.Removed != nil {
			return "folder removed: " + terminal.Printable(d.Folder.Path)
		}
		return "folder added: " + terminal.Printable(d.Folder.Path) + " (" + Word(ModeWords, d.Folder.Mode) + ")"
	case vmhost.Question:
		return "question: " + QuestionWords(d)[0]
	case vmhost.Decision:
		return "answer: " + terminal.Printable(d.Answer) + " by " + terminal.Printable(d.By)
	case task.NoticeData:
		return NoticeLine(d)
	case task.MessageData:
		who := "the AI: "
		if d.Role == "user" {
			who = "you: "
		}
		first, _, more := strings.Cut(strings.TrimSpace(d.Text), "\n")
		if more {
			first += " …"
		}
		return who + terminal.Printable(first)
	case task.ToolData:
		return Word(toolStates, d.State) + ToolWords(d)
	case setup.Report:
		return "status"
	default:
		return terminal.Printable(string(ev.Kind))
	}
}

// WorkWords say how far a task is.
func WorkWords(p task.ProgressData) string {
	if p.Total == 0 { // nobody knows yet
		return Shown(p.Item)
	}
	words := fmt.Sprintf("%d of %d", p.Done, p.Total)
	if p.TotalBytes > 0 {
		words += fmt.Sprintf(" (%s of %s)", terminal.Size(p.Bytes), terminal.Size(p.TotalBytes))
	}
	if p.ETA != nil && p.Done < p.Total {
		words += ", " + terminal.Left(*p.ETA)
	}
	if p.Item != "" {
		words += "  " + Shown(p.Item)
	}
	return words
}

// MakesWords says how much is made, where that is known.
func MakesWords(m *chore.Makes) string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf(", unpacked %s (%s)", terminal.Count(m.Files, "file"), terminal.Size(m.Bytes))
}

// ModelLine names a model and how long it thinks, where that was chosen.
func ModelLine(model, thinking string) string {
	var parts []string
	if model != "" {
		parts = append(parts, terminal.Printable(model))
	}
	if thinking != "" {
		parts = append(parts, fmt.Sprintf("thinking %s", terminal.Printable(thinking)))
	}
	return strings.Join(parts, ", ")
}

// shortIDAt is the part of a UUIDv7 that is its millisecond.
const shortIDAt = 13

// ShortID is the beginning of a task's id, as commands take it.
func ShortID(id string) string { return id[:min(len(id), shortIDAt)] }
