package command

import (
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
)

// What is to be typed after a task that failed names the task; its record stays as it is.
func TestCardOfATaskNamesIt(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	of := task.Task{ID: "0195aaaa", Error: problem.New(problem.CodeTimeout)}
	var b strings.Builder
	e := Env{Terminal: new(terminal.Terminal)}
	e.CardOf(&b, "", of)
	if !strings.Contains(b.String(), "Start again: piwork task again 0195aaaa\n") || of.Error.Params["task"] != nil {
		t.Errorf("%s %v", b.String(), of.Error.Params)
	}
}
