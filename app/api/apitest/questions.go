package apitest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Consent is what every task asks a person while it runs, and what was answered.
type Consent struct {
	Questions []vmhost.Question // their tasks are filled in
	Rules     []approval.Rule

	open    []*asking
	answers []consent.AnswerRequest
}

type asking struct {
	q      vmhost.Question
	answer chan vmhost.Decision
}

// Answers are the answers so far.
func (f *Fake) Answers() []consent.AnswerRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.Consent.answers)
}

// putQuestions puts the questions of a task, one after the other.
func (f *Fake) putQuestions(ctx context.Context, r *running) {
	for _, q := range f.Consent.Questions {
		q.Task = r.record().ID
		a := &asking{q: q, answer: make(chan vmhost.Decision, 1)}
		f.mu.Lock()
		f.Consent.open = append(f.Consent.open, a)
		f.mu.Unlock()
		f.emit(r, task.EventQuestion, q)
		f.state(r, task.StateWaiting, nil)
		f.emit(r, task.EventStep, task.StepData{Step: "accept"})
		select {
		case d := <-a.answer:
			f.emit(r, task.EventDecision, d)
			f.state(r, task.StateRunning, nil)
		case <-ctx.Done():
		}
		f.mu.Lock()
		f.Consent.open = slices.DeleteFunc(f.Consent.open, func(o *asking) bool { return o == a })
		f.mu.Unlock()
	}
}

// Questions is of the service.
func (f *Fake) Questions(_ context.Context, id string) ([]vmhost.Question, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []vmhost.Question{}
	for _, a := range f.Consent.open {
		if id == "" || a.q.Task == id {
			out = append(out, a.q)
		}
	}
	return out, f.refused("Questions")
}

// Answer is of the service.
func (f *Fake) Answer(_ context.Context, id, question string, r consent.AnswerRequest) (vmhost.Decision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.Consent.open, func(a *asking) bool { return a.q.Task == id && a.q.ID == question })
	if i < 0 {
		return vmhost.Decision{}, &problem.Problem{Code: problem.CodeQuestionOver, Severity: problem.Failed}
	}
	d := vmhost.Decision{ID: question, Answer: r.Answer, Scope: cmp.Or(r.Scope, approval.Usual(f.Consent.open[i].q, r.Answer)), By: "person", Time: time.Now().UTC()}
	f.Consent.answers = append(f.Consent.answers, r)
	f.Consent.open[i].answer <- d
	f.Consent.open = slices.Delete(f.Consent.open, i, i+1)
	return d, f.refused("Answer")
}

// Rules is of the service.
func (f *Fake) Rules(context.Context) ([]approval.Rule, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.Consent.Rules), f.refused("Rules")
}

// RemoveRule is of the service.
func (f *Fake) RemoveRule(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.Consent.Rules)
	f.Consent.Rules = slices.DeleteFunc(f.Consent.Rules, func(r approval.Rule) bool { return r.ID == id })
	if len(f.Consent.Rules) == n {
		return notFound(id)
	}
	return f.refused("RemoveRule")
}
