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

// Consent is what every task asks a person while it runs.
type Consent struct {
	Questions []vmhost.Question // their tasks are filled in
}

// questions are those that are open, the answers so far, and the rules.
type questions struct {
	*core
	open    []*asking
	answers []consent.AnswerRequest
}

type asking struct {
	q      vmhost.Question
	answer chan vmhost.Decision
}

// Answers are the answers so far.
func (f *questions) Answers() []consent.AnswerRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.answers)
}

// put puts the questions of a task, one after the other.
func (f *questions) put(ctx context.Context, r *running) {
	for _, q := range f.Consent.Questions {
		q.Task = r.record().ID
		a := &asking{q: q, answer: make(chan vmhost.Decision, 1)}
		f.mu.Lock()
		f.open = append(f.open, a)
		f.mu.Unlock()
		r.emit(task.EventQuestion, q)
		r.state(task.StateWaiting, nil)
		r.emit(task.EventStep, task.StepData{Step: "accept"})
		select {
		case d := <-a.answer:
			r.emit(task.EventDecision, d)
			r.state(task.StateRunning, nil)
		case <-ctx.Done():
		}
		f.mu.Lock()
		f.open = slices.DeleteFunc(f.open, func(o *asking) bool { return o == a })
		f.mu.Unlock()
	}
}

func (f *questions) Questions(_ context.Context, id string) ([]vmhost.Question, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []vmhost.Question{}
	for _, a := range f.open {
		if id == "" || a.q.Task == id {
			out = append(out, a.q)
		}
	}
	return out, f.refused("Questions")
}

func (f *questions) Answer(_ context.Context, id, question string, r consent.AnswerRequest) (vmhost.Decision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.open, func(a *asking) bool { return a.q.Task == id && a.q.ID == question })
	if i < 0 {
		return vmhost.Decision{}, &problem.Problem{Code: problem.CodeQuestionOver, Severity: problem.Failed}
	}
	if r.May != nil {
		if err := r.May(f.open[i].q); err != nil {
			return vmhost.Decision{}, err
		}
	}
	d := vmhost.Decision{ID: question, Answer: r.Answer, Scope: cmp.Or(r.Scope, approval.Usual(f.open[i].q, r.Answer)), By: "person", Time: time.Now().UTC()}
	f.answers = append(f.answers, r)
	f.open[i].answer <- d
	f.open = slices.Delete(f.open, i, i+1)
	return d, f.refused("Answer")
}

func (f *questions) RemoveRule(_ context.Context, id string) error {
	if !dropped(f.core, func(r approval.Rule) bool { return r.ID == id }) {
		return notFound(id)
	}
	return f.refused("RemoveRule")
}

func (f *questions) NetworkPresets(context.Context) ([]consent.NetworkPreset, error) {
	return value[consent.NetworkRules](f.core).Presets, f.refused("NetworkPresets")
}

func (f *questions) SetNetworkPreset(ctx context.Context, code string, r consent.PresetChoice) (consent.NetworkPreset, error) {
	all, err := f.NetworkPresets(ctx)
	for _, p := range all {
		if p.Code == code {
			p.On = r.On
			return p, err
		}
	}
	return consent.NetworkPreset{}, notFound(code)
}

func (f *questions) AddNetworkRule(_ context.Context, r consent.NetworkRuleRequest) (approval.Rule, error) {
	return approval.Rule{ID: "rule-" + r.Host + r.Preset, Task: r.Task, Topic: consent.NetworkTopic(r), Answer: r.Answer, Created: time.Now().UTC()},
		f.asked("AddNetworkRule", r)
}
