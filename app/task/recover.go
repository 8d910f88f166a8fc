package task

import (
	"piwork/app/problem"
)

// Interrupted is the problem of a task whose program ended before it did.
func Interrupted() *problem.Problem {
	return &problem.Problem{
		Code:     problem.CodeInterrupted,
		Severity: problem.Failed,
		Cause:    problem.CodeInterrupted,
		Fix:      []problem.Fix{{Kind: problem.FixAction, Code: problem.FixReview}, {Kind: problem.FixAction, Code: problem.FixStartAgain}},
	}
}

// Recover ends the tasks that an earlier run of the program left unfinished:
// they become failed with the problem "interrupted". It returns them as they
// are now. It is called once, before any task starts. A task that cannot be
// ended is reported in errs and stays as it is.
func (s *Store) Recover() (ended []Task, errs []error) {
	tasks, _, err := s.List()
	if err != nil {
		return nil, []error{err}
	}
	for _, t := range tasks {
		if t.State.Final() {
			continue
		}
		now := s.now().UTC()
		t, err := s.Update(t.ID, func(t *Task) error {
			t.State, t.Ended, t.Error = StateFailed, &now, Interrupted()
			return nil
		})
		if err == nil {
			_, err = s.Append(t.ID, EventState, StateData{State: t.State, Error: t.Error})
		}
		s.Release(t.ID)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ended = append(ended, t)
	}
	return ended, errs
}
