package command

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"piwork/app/problem"
	"piwork/app/words"

	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
)

// Problem shows what went wrong: what happened, what it means, what to do.
func (e *Env) Problem(p problem.Problem) {
	if e.JSON {
		terminal.Texts().Problem(&p)
		if p.Fix == nil {
			p.Fix = []problem.Fix{}
		}
		e.JSONLine(map[string]any{"error": p})
		return
	}
	e.Card(e.Stderr, "", p)
}

// detailLines is how much evidence is shown without --verbose.
const detailLines = 6

// Card writes a problem as three lines and its details.
func (e *Env) Card(w io.Writer, indent string, p problem.Problem) {
	terminal.Texts().Problem(&p)
	fmt.Fprintln(w, indent+p.Title)
	fmt.Fprintln(w, indent+"  "+p.Detail)
	steps := wording.NextSteps(p)
	for i, s := range steps {
		lead := "  " + terminal.Text("next") + " "
		if len(steps) > 1 {
			lead = fmt.Sprintf("  %d. ", i+1)
		}
		// What is to be typed stands alone, so that it can be copied.
		for j, line := range strings.Split(s, "\n") {
			if j > 0 {
				lead = "       "
			}
			fmt.Fprintln(w, indent+lead+words.Printable(line))
		}
		if p.Then != "" && i == 0 {
			fmt.Fprintln(w, indent+"     "+p.Then)
		}
	}
	if p.Details == "" {
		return
	}
	lines := strings.Split(strings.TrimSpace(p.Details), "\n")
	if !e.Verbose && len(lines) > detailLines {
		lines = append(lines[:detailLines:detailLines], terminal.Text("more-verbose"))
	}
	for i, l := range lines {
		lead := "  " + terminal.Text("details") + " "
		if i > 0 {
			lead = strings.Repeat(" ", utf8.RuneCountInString(lead))
		}
		fmt.Fprintln(w, indent+lead+words.Printable(l))
	}
}
