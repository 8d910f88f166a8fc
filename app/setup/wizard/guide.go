package wizard

import (
	"context"
	"fmt"
	"slices"
	"time"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
)

// ActRequest is an act at a step of the
type ActRequest struct {
	Act Act `json:"act"`
}

// Guide leads a person through the steps and remembers how far they came. It is safe
// for concurrent use.
type Guide struct {
	choice settings.Value[Memory]
	last   func() *setup.Report // that was made, nil without one
	tasks  func() ([]task.Task, error)
	now    func() time.Time

	// Instead is the kind of place that a person allows where there can be no machine; nil
	// for none. It is set before the Guide is used.
	Instead func() string
}

// NewGuide makes a Guide.
func NewGuide(choice settings.Value[Memory], last func() *setup.Report, tasks func() ([]task.Task, error), now func() time.Time) *Guide {
	return &Guide{choice: choice, last: last, tasks: tasks, now: now}
}

// Wizard says how the steps of the wizard stand.
func (g *Guide) Wizard(context.Context) (Wizard, error) {
	f, err := g.facts()
	if err != nil {
		return Wizard{}, problem.From(err)
	}
	m := g.choice.Get()
	if noted := Note(m, f, g.now()); noted != m {
		// On a disk that cannot be written to it is seen, and noted, the next time.
		_ = g.choice.Update(func(m *Memory) error { *m = Note(*m, f, g.now()); return nil })
		m = noted
	}
	return Look(m, f), nil
}

// WizardAct is what a person does about a step.
func (g *Guide) WizardAct(ctx context.Context, step ID, r ActRequest) (Wizard, error) {
	f, err := g.facts()
	if err != nil {
		return Wizard{}, problem.From(err)
	}
	if !slices.Contains(IDs(), step) {
		return Wizard{}, problem.New(problem.CodeNotFound).With("step", string(step))
	}
	err = g.choice.Update(func(m *Memory) (refused error) {
		if *m, refused = Do(*m, f, step, r.Act, g.now()); refused != nil {
			return problem.BadRequest("act", "%q at %q: %w", r.Act, step, refused)
		}
		return nil
	})
	if err != nil {
		return Wizard{}, problem.From(err)
	}
	return g.Wizard(ctx)
}

// facts are what can be seen now, without a new look.
func (g *Guide) facts() (Facts, error) {
	f := Facts{Report: g.last()}
	if g.Instead != nil {
		f.Instead = g.Instead()
	}
	list, err := g.tasks()
	if err != nil {
		return f, fmt.Errorf("look for tasks that were done: %w", err)
	}
	for _, t := range list {
		if t.State == task.StateDone && t.Ended != nil && t.Ended.After(f.Worked) {
			f.Worked = *t.Ended
		}
	}
	return f, nil
}
