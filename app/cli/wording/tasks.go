package wording

import (
	"strconv"
	"strings"

	"piwork/app/chore"
	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/words"
)

// ProgramUsed says what a program used of the computer, "" where that is not known.
func ProgramUsed(cpuMS, peakKB int64) string {
	if cpuMS <= 0 && peakKB <= 0 {
		return ""
	}
	return terminal.Text("program-used", "cpuMs", cpuMS, "peak", peakKB<<10)
}

// UsageWords say what was used of models.
func UsageWords(u task.Usage) string {
	line := terminal.Text("used", "count", u.Requests, "read", u.Input+u.CacheRead+u.CacheWrite, "written", u.Output)
	switch {
	case u.Cost > 0 && u.Unknown:
		line += "; " + terminal.Text("cost-least", "cost", dollars(u.Cost))
	case u.Cost > 0:
		line += "; " + terminal.Text("cost", "cost", dollars(u.Cost))
	case u.Unknown:
		line += "; " + terminal.Text("cost-unknown")
	}
	return line
}

func dollars(micro int64) string { return strconv.FormatFloat(float64(micro)/1e6, 'f', 4, 64) }

// TaskTitle is what a task is called.
func TaskTitle(t task.Task) string {
	terminal.Texts().Task(&t)
	return words.Printable(t.Called)
}

// EventWords is one line for an event.
func EventWords(ev task.Event) string {
	if terminal.Texts().Event(&ev); ev.Said == "" {
		return words.Printable(string(ev.Kind))
	}
	return ev.Said
}

// WorkWords say how far a task is.
func WorkWords(p task.ProgressData) string {
	if p.Total == 0 { // nobody knows yet
		return Shown(p.Item)
	}
	words := terminal.Text("progress-of", "done", p.Done, "total", p.Total)
	if p.TotalBytes > 0 {
		words += " (" + terminal.Text("progress-of", "done", terminal.Size(p.Bytes), "total", terminal.Size(p.TotalBytes)) + ")"
	}
	if p.ETA != nil && p.Done < p.Total {
		words += ", " + terminal.Left(*p.ETA)
	}
	if p.Item != "" {
		words += "  " + Shown(p.Item)
	}
	return words
}

// SentWords say how much of what another computer needs is there.
func SentWords(p task.ProgressData) string {
	return terminal.Text("progress-of", "done", terminal.Size(p.Bytes), "total", terminal.Size(p.TotalBytes))
}

// makesWords says how much is made, where that is known.
func makesWords(m *chore.Makes) string {
	if m == nil {
		return ""
	}
	return ", " + terminal.Text("plan-makes", "count", m.Files, "bytes", m.Bytes)
}

// ModelLine names a model, the AI program that works with it where that is not pi, and how long it
// thinks, where that was chosen.
func ModelLine(model, program, thinking string) string {
	var parts []string
	switch {
	case model != "" && program != "":
		parts = append(parts, terminal.Text("model-of", "program", words.Printable(program), "model", words.Printable(model)))
	case model != "":
		parts = append(parts, words.Printable(model))
	}
	if thinking != "" {
		parts = append(parts, terminal.Text("thinking", "thinking", thinking))
	}
	return strings.Join(parts, ", ")
}
