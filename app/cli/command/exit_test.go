package command

import (
	"testing"

	"piwork/app/problem"
)

func TestExitCode(t *testing.T) {
	for cause, want := range map[string]int{"missing": ExitUsage, "not-a-folder": ExitUsage, "home": ExitDenied, "network": ExitDenied} {
		for _, code := range []string{problem.CodeFolderRefused, problem.CodeMoveRefused} {
			p := problem.New(code)
			p.Cause = cause
			if got := ExitCode(*p); got != want {
				t.Errorf("%s %s: %d, want %d", code, cause, got, want)
			}
		}
	}
}
