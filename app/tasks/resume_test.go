package tasks

import (
	"errors"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
)

// A program that was interrupted is not said to have nothing left to do.
func TestResumingAProgramSaysWhyNot(t *testing.T) {
	for state, want := range map[task.State]string{task.StateFailed: ResumeProgram, task.StateCancelled: ResumeProgram, task.StateDone: ResumeOver, task.StateRunning: ResumeOver} {
		var p *problem.Problem
		if _, err := (&Runner{}).resumed(t.Context(), task.Task{ID: "1", Kind: task.KindExec, State: state}); !errors.As(err, &p) || p.Code != problem.CodeNotResumable || p.Cause != want {
			t.Errorf("%s: %v", state, err)
		}
	}
}
