package cli

import (
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
)

// Which chores are offered to go on.
func TestMayGoOn(t *testing.T) {
	for name, tt := range map[string]struct {
		task     task.Task
		accepted bool
		want     bool
	}{
		"interrupted":   {task.Task{Kind: task.KindChore, Chore: "compress-pdf", State: task.StateFailed, Error: task.Interrupted()}, true, true},
		"stopped":       {task.Task{Kind: task.KindChore, Chore: "compress-pdf", State: task.StateCancelled, Error: problem.New(problem.CodeCancelled)}, true, true},
		"done":          {task.Task{Kind: task.KindChore, Chore: "compress-pdf", State: task.StateDone}, true, false},
		"not agreed to": {task.Task{Kind: task.KindChore, Chore: "compress-pdf", State: task.StateCancelled}, false, false},
		"a password":    {task.Task{Kind: task.KindChore, Chore: "unlock-pdf", State: task.StateFailed}, true, false},
		"no chore":      {task.Task{Kind: task.KindExec, State: task.StateFailed}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			var words strings.Builder
			f := &follower{session: &session{Env: newEnv(Options{Stdout: &words, Stderr: &words})}, accepted: tt.accepted}
			tt.task.ID = "01945e2c-9a80-7b3c-8d1e-2f4a6b8c0d1e"
			f.mayGoOn(tt.task)
			if got := strings.Contains(words.String(), "piwork task resume 01945e2c-9a80"); got != tt.want {
				t.Errorf("said %q", words.String())
			}
		})
	}
}
