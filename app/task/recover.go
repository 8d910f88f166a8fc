package task

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

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
// ended is reported in errs and stays as it is. A timeline whose last line was never
// written, because the program ended right after the record was, gets it.
func (s *Store) Recover() (ended []Task, errs []error) {
	rows, _, err := s.find(Filter{})
	if err != nil {
		return nil, []error{err}
	}
	for _, r := range rows {
		t := r.task
		if t.State.Final() {
			if err := s.sayEnd(t, r.modified); err != nil {
				errs = append(errs, err)
			}
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

// sayEnd adds the end of a task to a timeline that lacks it. A record is written
// before its event, so a timeline that is younger than its record, which was written at
// recorded, is whole.
func (s *Store) sayEnd(t Task, recorded time.Time) error {
	line, err := os.Stat(filepath.Join(s.Dir(t.ID), timelineFile))
	if err == nil && line.ModTime().After(recorded) {
		return nil
	}
	events, err := s.Timeline(t.ID, 0)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(events) {
		raw, ok := e.Data.(json.RawMessage)
		var d StateData
		if !ok || e.Kind != EventState || json.Unmarshal(raw, &d) != nil {
			continue
		}
		if d.State == t.State {
			return nil
		}
		break
	}
	defer s.Release(t.ID)
	_, err = s.Append(t.ID, EventState, StateData{State: t.State, Error: t.Error})
	return err
}
