package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"piwork/app/consent"
	"piwork/app/models"
	"piwork/app/tasks"
	"slices"
	"time"

	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/task"
)

// Agent is what AI tasks say and do, and what is known of models.
type Agent struct {
	Events []task.Event // of every turn, after the person's message: kind and data
	Deltas []task.DeltaData
	Models models.Catalogue
	Keys   []models.KeyInfo
	Test   models.KeyTest
	Rules  consent.NetworkRules
	Lines  map[int64]json.RawMessage
	Waits  []task.Pending // of every task: it has not heard them yet

	said []tasks.SayRequest
	keys map[string]string
}

// Said are the messages so far, without those that began a task.
func (f *Fake) Said() []tasks.SayRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.Agent.said)
}

// Key is the key that was kept for a provider.
func (f *Fake) Key(provider string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Agent.keys[provider]
}

// turn is what the agent does about one message.
func (f *Fake) turn(r *running, text, how string) {
	f.emit(r, task.EventMessage, task.MessageData{ID: "u" + time.Now().Format("150405.000000000"), Role: "user", Text: text, How: how})
	for _, d := range f.Agent.Deltas {
		f.Publish(task.Event{Task: r.record().ID, Kind: task.EventDelta, Data: d})
	}
	for _, e := range f.Agent.Events {
		f.emit(r, e.Kind, e.Data)
	}
}

// Say implements api.Service.
func (f *Fake) Say(_ context.Context, id string, req tasks.SayRequest) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	if err := f.refused("Say"); err != nil {
		return task.Task{}, err
	}
	f.mu.Lock()
	f.Agent.said = append(f.Agent.said, req)
	f.mu.Unlock()
	how := req.How
	if how == "" {
		how = "steer"
	}
	if !r.record().State.Final() {
		f.turn(r, req.Text, how)
		return r.record(), nil
	}
	f.state(r, task.StateQueued, nil) // it goes on
	queued := r.record()
	go func() {
		f.state(r, task.StateRunning, nil)
		f.turn(r, req.Text, "prompt")
		f.state(r, task.StateDone, nil)
	}()
	return queued, nil
}

// TakeBack implements api.Service.
func (f *Fake) TakeBack(_ context.Context, id, message string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	if err := f.refused("TakeBack"); err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	is := func(p task.Pending) bool { return p.ID == message }
	if r.t.AI == nil || !slices.ContainsFunc(r.t.AI.Pending, is) {
		return task.Task{}, problem.New(problem.CodeMessageHeard).With("task", id).With("message", message)
	}
	ai := *r.t.AI
	ai.Pending = slices.DeleteFunc(slices.Clone(ai.Pending), is)
	r.t.AI = &ai
	return r.t, nil
}

// SetTaskModel implements api.Service.
func (f *Fake) SetTaskModel(_ context.Context, id string, req tasks.TaskModelRequest) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	if err := f.refused("SetTaskModel"); err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ai := task.AI{}
	if r.t.AI != nil {
		ai = *r.t.AI
	}
	ai.Model, ai.Thinking = cmp.Or(req.Model, ai.Model), cmp.Or(req.Thinking, ai.Thinking)
	r.t.AI = &ai
	return r.t, nil
}

// CompactTask implements api.Service.
func (f *Fake) CompactTask(_ context.Context, id string, _ bool) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	if err := f.refused("CompactTask"); err != nil {
		return task.Task{}, err
	}
	was := r.record()
	if !was.State.Final() {
		return task.Task{}, problem.New(problem.CodeTaskRunning).With("task", id)
	}
	f.state(r, task.StateQueued, nil)
	queued := r.record()
	go func() {
		f.state(r, task.StateRunning, nil)
		f.emit(r, task.EventNotice, task.NoticeData{Code: "compacted"})
		f.state(r, was.State, was.Error)
	}()
	return queued, nil
}

// ResumeTask implements api.Service.
func (f *Fake) ResumeTask(_ context.Context, id string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	return r.record(), f.refused("ResumeTask")
}

// Interrupt implements api.Service.
func (f *Fake) Interrupt(ctx context.Context, id string) (task.Task, error) {
	if err := f.refused("Interrupt"); err != nil {
		return task.Task{}, err
	}
	return f.CancelTask(ctx, id)
}

// AgentLine implements api.Service.
func (f *Fake) AgentLine(_ context.Context, id string, n int64) (json.RawMessage, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Agent.Lines[n] == nil {
		return nil, notFound(id)
	}
	return f.Agent.Lines[n], f.refused("AgentLine")
}

// AgentEvents implements api.Service: the lines that there are, in their order.
func (f *Fake) AgentEvents(_ context.Context, id string, fn func(json.RawMessage) error) error {
	if _, err := f.find(id); err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(f.Agent.Lines)) {
		if err := fn(f.Agent.Lines[n]); err != nil {
			return err
		}
	}
	return f.refused("AgentEvents")
}

// Models implements api.Service.
func (f *Fake) Models(context.Context) (models.Catalogue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.Agent.Models
	m.List = append([]models.Model{}, m.List...)
	return m, f.refused("Models")
}

// SetModel implements api.Service.
func (f *Fake) SetModel(ctx context.Context, r models.ChoiceRequest) (models.Catalogue, error) {
	f.mu.Lock()
	f.Agent.Models.Default, f.Agent.Models.Chosen = r.Model, r.Model != ""
	f.mu.Unlock()
	return f.Models(ctx)
}

// OverrideModel implements api.Service.
func (f *Fake) OverrideModel(ctx context.Context, r models.OverrideRequest) (models.Catalogue, error) {
	f.mu.Lock()
	list := slices.Clone(f.Agent.Models.List)
	for i, m := range list {
		if m.ID == r.Model {
			said := r.Override
			list[i].Said, list[i].Images, list[i].Thinks, list[i].Context = &said, said.Images, said.Thinks, said.Context
		}
	}
	f.Agent.Models.List = list
	f.mu.Unlock()
	return f.Models(ctx)
}

// Keys implements api.Service.
func (f *Fake) Keys(context.Context) ([]models.KeyInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]models.KeyInfo{}, f.Agent.Keys...), f.refused("Keys")
}

// SetKey implements api.Service.
func (f *Fake) SetKey(_ context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error) {
	if err := f.refused("SetKey"); err != nil {
		return models.KeyInfo{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Agent.keys == nil {
		f.Agent.keys = map[string]string{}
	}
	f.Agent.keys[provider] = r.Key
	info := models.KeyInfo{Provider: provider, Name: provider, Has: true, Kind: "key", Place: "keychain", BaseURL: r.BaseURL, Protocol: r.Protocol}
	if n := len(r.Key); n > 8 {
		info.Ending = r.Key[n-4:]
	}
	f.Agent.Keys = append(slices.DeleteFunc(f.Agent.Keys, func(k models.KeyInfo) bool { return k.Provider == provider }), info)
	return info, nil
}

// RemoveKey implements api.Service.
func (f *Fake) RemoveKey(_ context.Context, provider string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.Agent.Keys, func(k models.KeyInfo) bool { return k.Provider == provider && k.Has })
	if i < 0 {
		return &problem.Problem{Code: problem.CodeNotFound, Severity: problem.Failed, Params: map[string]any{"provider": provider}}
	}
	f.Agent.Keys[i].Has, f.Agent.Keys[i].Ending = false, ""
	delete(f.Agent.keys, provider)
	return f.refused("RemoveKey")
}

// TestKey implements api.Service.
func (f *Fake) TestKey(context.Context, string) (models.KeyTest, error) {
	return f.Agent.Test, f.refused("TestKey")
}

// NetworkRules implements api.Service.
func (f *Fake) NetworkRules(context.Context) (consent.NetworkRules, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.Agent.Rules
	r.Rules, r.Presets = append([]approval.Rule{}, r.Rules...), append([]consent.NetworkPreset{}, r.Presets...)
	return r, f.refused("NetworkRules")
}

// AddNetworkRule implements api.Service.
func (f *Fake) AddNetworkRule(_ context.Context, r consent.NetworkRuleRequest) (approval.Rule, error) {
	if err := f.refused("AddNetworkRule"); err != nil {
		return approval.Rule{}, err
	}
	topic := consent.NetworkTopic(r)
	rule := approval.Rule{ID: "rule-" + r.Host + r.Preset, Task: r.Task, Topic: topic, Answer: r.Answer, Created: time.Now().UTC()}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Agent.Rules.Rules = append(f.Agent.Rules.Rules, rule)
	return rule, nil
}
