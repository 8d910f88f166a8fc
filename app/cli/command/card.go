package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"piwork/app/api/answer"
	"piwork/app/cli/output"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
)

// failure is how a program is told of a failure: a line of JSON on stderr, in the form of
// RFC 9457 as the API has it, with the exit code that it means. Stdout has answers only.
type failure struct {
	Type     string `json:"type"`
	About    string `json:"about,omitempty"` // the argument, of several
	ExitCode int    `json:"exitCode"`
	problem.Problem
}

// failsAsJSON reports whether failures are for programs: a template is of who reads text.
func (e *Env) failsAsJSON() bool { return e.JSON && e.Out.Kind != output.Template }

func (e *Env) failure(about string, code int, p problem.Problem) {
	if p.Fix == nil {
		p.Fix = []problem.Fix{}
	}
	e.ErrorLine(failure{answer.ProblemType(p.Code), about, code, p})
}

// Problem shows what went wrong: what happened, what it means, what to do.
func (e *Env) Problem(p problem.Problem) { e.failed("", p) }

func (e *Env) failed(about string, p problem.Problem) {
	if e.failsAsJSON() {
		p = e.advised(p)
		terminal.Texts().Problem(&p)
		e.failure(about, ExitCode(p), p)
		return
	}
	e.Card(e.Stderr, lead(about), p)
}

// advised is a problem whose next steps are piwork's own: what another computer wants to be typed
// is no advice, neither for a person nor for a program that reads it.
func (e *Env) advised(p problem.Problem) problem.Problem {
	if e.On == "" {
		return p
	}
	p.Fix = slices.Clone(p.Fix)
	for i := range p.Fix {
		p.Fix[i] = problem.Fix{Kind: p.Fix[i].Kind, Code: p.Fix[i].Code}
	}
	return p
}

// misuse says what is wrong with a command line.
func (e *Env) misuse(about, help string, err error) {
	if e.failsAsJSON() {
		p := problem.New(problem.CodeBadRequest)
		p.Title, p.Detail = err.Error(), help
		e.failure(about, ExitUsage, *p)
		return
	}
	fmt.Fprintln(e.Stderr, "piwork: "+lead(about)+terminal.PrintableLines(e.Named(err.Error())))
	if help != "" {
		fmt.Fprintln(e.Stderr, help)
	}
}

// lead names what a failure is about.
func lead(about string) string {
	if about == "" {
		return ""
	}
	return words.Printable(about) + ": "
}

// detailLines is how much evidence is shown without --verbose.
const detailLines = 6

// CardOf is Card for what a task ended with: what is to be typed next names the task.
func (e *Env) CardOf(w io.Writer, lead string, t task.Task) {
	p := t.Error.Clone()
	if p.Params["task"] == nil {
		p.With("task", t.ID)
	}
	e.Card(w, lead, *p)
}

// Card writes a problem as three lines and its details. lead stands before the first line,
// and before all of them when it is blank.
func (e *Env) Card(w io.Writer, lead string, p problem.Problem) {
	p = e.advised(p)
	terminal.Texts().Problem(&p)
	fmt.Fprintln(w, lead+p.Title)
	indent := ""
	if strings.TrimSpace(lead) == "" {
		indent = lead
	}
	fmt.Fprintln(w, indent+"  "+e.Named(p.Detail))
	steps := wording.NextSteps(p)
	if e.On != "" && len(steps) > 0 {
		fmt.Fprintln(w, indent+"  "+terminal.Text("next-there", "name", e.On))
	}
	for i, s := range steps {
		lead := "  " + terminal.Text("next") + " "
		if len(steps) > 1 {
			lead = fmt.Sprintf("  %d. ", i+1)
		}
		// What is to be typed stands alone, so that it can be copied.
		for j, line := range strings.Split(e.Named(s), "\n") {
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
