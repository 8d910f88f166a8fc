package command

import (
	"testing"

	"piwork/app/problem"
)

func TestExitCode(t *testing.T) {
	for cause, want := range map[string]int{"missing": ExitUsage, "not-a-folder": ExitUsage, "home": ExitDenied} {
		p := problem.New(problem.CodeFolderRefused)
		p.Cause = cause
		if got := ExitCode(*p); got != want {
			t.Errorf("%s: %d, want %d", cause, got, want)
		}
	}
}
