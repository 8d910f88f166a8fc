package command

import (
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Exit statuses of `piwork exec` that are not the program's own, as timeout(1) and
// containers have them.
const (
	ExitTimeUp  = 124 // --timeout was over
	ExitOwn     = 125 // piwork failed, or refused
	ExitNoStart = 126 // the program could not be started
	ExitMissing = 127 // there is no such program
)

// ProgramStatus is the exit status of `piwork exec` for a task that is over.
func ProgramStatus(t task.Task, refused bool) int {
	switch {
	case t.Error == nil && t.ExitCode != nil:
		if *t.ExitCode == 0 && refused {
			return ExitOwn
		}
		return *t.ExitCode
	case t.Error == nil:
		return ExitOwn
	case t.Error.Code == problem.CodeTimeout:
		return ExitTimeUp
	case t.Error.Code == problem.CodeStartFailed && t.Error.Cause == string(vmhost.ActionMissing):
		return ExitMissing
	case t.Error.Code == problem.CodeStartFailed:
		return ExitNoStart
	case t.Error.Code == problem.CodeCancelled:
		return ExitCancelled
	case t.ExitCode != nil && *t.ExitCode != 0: // it ended by itself, or for lack of memory
		return *t.ExitCode
	}
	return ExitOwn
}

// OwnStatus is the exit status of a command that else ends with that of a program, for a
// failure of piwork's.
func OwnStatus(code int) int {
	switch code {
	case ExitDone, ExitUsage, ExitCancelled:
		return code
	}
	return ExitOwn
}
