package wording

import (
	"fmt"
	"piwork/app/chore"
	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/words"
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
			names = append(names, words.Printable(f.Name))
		}
		return Texts().ChoreTitle(t.Chore) + ": " + strings.Join(names, ", ")
	case t.Title != "":
		return words.Printable(t.Title)
	default:
		return words.Printable(strings.Join(t.Argv, " "))
	}
}

// EventWords is one line for an event.
func EventWords(ev task.Event) string {
	if Texts().Event(&ev); ev.Said == "" {
		return words.Printable(string(ev.Kind))
	}
	return ev.Said
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
		parts = append(parts, words.Printable(model))
	}
	if thinking != "" {
		parts = append(parts, fmt.Sprintf("thinking %s", words.Printable(thinking)))
	}
	return strings.Join(parts, ", ")
}
