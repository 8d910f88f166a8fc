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

// Agent is what AI tasks say and do.
type Agent struct {
	Events []task.Event // of every turn, after the person's message: kind and data
	Lines  map[int64]json.RawMessage
	Waits  []task.Pending // of every task: it has not heard them yet
}

// turn is what the agent does about one message.
func (f *Fake) turn(r *running, text, how string) {
	f.emit(r, task.EventMessage, task.MessageData{ID: "u" + time.Now().Format("150405.000000000"), Role: "user", Text: text, How: how})
	for _, e := range f.Agent.Events {
		f.emit(r, e.Kind, e.Data)
	}
}

// Say is of the service.
func (f *Fake) Say(_ context.Context, id string, req tasks.SayRequest) (task.Task, error) {
	r, err := f.called("Say", id)
	if err != nil {
		return task.Task{}, err
	}
	if !r.record().State.Final() {
		f.turn(r, req.Text, cmp.Or(req.How, "steer"))
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

// TakeBack is of the service.
func (f *Fake) TakeBack(_ context.Context, id, message string) (task.Task, error) {
	r, err := f.called("TakeBack", id)
	if err != nil {
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

// SetTaskModel is of the service.
func (f *Fake) SetTaskModel(_ context.Context, id string, req tasks.TaskModelRequest) (task.Task, error) {
	r, err := f.called("SetTaskModel", id)
	if err != nil {
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

// CompactTask is of the service.
func (f *Fake) CompactTask(_ context.Context, id string, _ bool) (task.Task, error) {
	r, err := f.called("CompactTask", id)
	if err != nil {
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

// Interrupt is of the service.
func (f *Fake) Interrupt(ctx context.Context, id string) (task.Task, error) {
	if err := f.refused("Interrupt"); err != nil {
		return task.Task{}, err
	}
	return f.CancelTask(ctx, id)
}

// AgentLine is of the service.
func (f *Fake) AgentLine(_ context.Context, id string, n int64) (json.RawMessage, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Agent.Lines[n] == nil {
		return nil, notFound(id)
	}
	return f.Agent.Lines[n], f.refused("AgentLine")
}

// AgentEvents is of the service: the lines that there are, in their order.
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

// SetModel is of the service.
func (f *Fake) SetModel(_ context.Context, r models.ChoiceRequest) (models.Catalogue, error) {
	m, err := answered[models.Catalogue](f, "SetModel", r)
	m.Default, m.Chosen = r.Model, r.Model != ""
	return m, err
}

// OverrideModel is of the service.
func (f *Fake) OverrideModel(_ context.Context, r models.OverrideRequest) (models.Catalogue, error) {
	all, err := answered[models.Catalogue](f, "OverrideModel", r)
	all.List = slices.Clone(all.List)
	for i := range all.List {
		if m := &all.List[i]; m.ID == r.Model {
			m.Said, m.Images, m.Thinks, m.Context = &r.Override, r.Override.Images, r.Override.Thinks, r.Override.Context
		}
	}
	return all, err
}

// SetKey is of the service.
func (f *Fake) SetKey(_ context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error) {
	info := models.KeyInfo{Provider: provider, Name: provider, Has: true, Kind: "key", Place: "keychain", BaseURL: r.BaseURL, Protocol: r.Protocol}
	if n := len(r.Key); n > 8 {
		info.Ending = r.Key[n-4:]
	}
	return info, f.asked("SetKey", r)
}

// RemoveKey is of the service.
func (f *Fake) RemoveKey(_ context.Context, provider string) error {
	if !slices.ContainsFunc(value[[]models.KeyInfo](f), func(k models.KeyInfo) bool { return k.Provider == provider && k.Has }) {
		return &problem.Problem{Code: problem.CodeNotFound, Severity: problem.Failed, Params: map[string]any{"provider": provider}}
	}
	return f.refused("RemoveKey")
}

// Login is how signing in goes.
type Login struct {
	models.Login        // what every one is; its id is made
	Code         string // that it takes
	Pass         string // of the file of keys
}

// BeginLogin is of the service.
func (f *Fake) BeginLogin(_ context.Context, provider string, r models.LoginRequest) (models.Login, error) {
	l := f.Login.Login
	failed := &problem.Problem{Code: problem.CodeLoginFailed, Severity: problem.Failed, Params: map[string]any{"provider": provider}}
	if r.Device {
		l.Needs, l.UserCode = "nothing", "ABCD-EFGH"
	}
	if failed.Cause = "domain"; r.Domain != "" && provider != "github-copilot" {
		return l, failed
	}
	if failed.Cause = "none"; l.URL == "" {
		return l, failed
	}
	l.ID, l.Expires = "login-"+provider, time.Now().Add(time.Minute).UTC()
	return l, f.refused("BeginLogin")
}

// FinishLogin is of the service.
func (f *Fake) FinishLogin(_ context.Context, _ string, c models.LoginCode) (models.LoginState, error) {
	if c.Code != f.Login.Code {
		return models.LoginState{}, &problem.Problem{Code: problem.CodeLoginFailed, Severity: problem.Failed, Cause: "wrong"}
	}
	return models.LoginState{State: models.LoginDone}, f.refused("FinishLogin")
}

// SetKeyStore is of the service.
func (f *Fake) SetKeyStore(_ context.Context, r models.KeyStoreChoice) (models.KeyStore, error) {
	return f.keyStore("SetKeyStore", f.Login.Pass, models.KeyStore{Store: r.Store})
}

// UnlockKeys is of the service.
func (f *Fake) UnlockKeys(_ context.Context, p models.Passphrase) (models.KeyStore, error) {
	return f.keyStore("UnlockKeys", p.Passphrase, models.KeyStore{Store: models.StoreFile})
}

// ChangePassphrase is of the service.
func (f *Fake) ChangePassphrase(_ context.Context, p models.PassphraseChange) (models.KeyStore, error) {
	return f.keyStore("ChangePassphrase", p.Passphrase, value[models.KeyStore](f))
}

func (f *Fake) keyStore(method, pass string, s models.KeyStore) (models.KeyStore, error) {
	if pass != f.Login.Pass {
		return s, &problem.Problem{Code: problem.CodePassphrase, Severity: problem.Failed, Cause: "wrong"}
	}
	return answered[models.KeyStore](f, method, s)
}

// NetworkPresets is of the service.
func (f *Fake) NetworkPresets(context.Context) ([]consent.NetworkPreset, error) {
	return value[consent.NetworkRules](f).Presets, f.refused("NetworkPresets")
}

// SetNetworkPreset is of the service.
func (f *Fake) SetNetworkPreset(ctx context.Context, code string, r consent.PresetChoice) (consent.NetworkPreset, error) {
	all, err := f.NetworkPresets(ctx)
	for _, p := range all {
		if p.Code == code {
			p.On = r.On
			return p, err
		}
	}
	return consent.NetworkPreset{}, notFound(code)
}

// AddNetworkRule is of the service.
func (f *Fake) AddNetworkRule(_ context.Context, r consent.NetworkRuleRequest) (approval.Rule, error) {
	return approval.Rule{ID: "rule-" + r.Host + r.Preset, Task: r.Task, Topic: consent.NetworkTopic(r), Answer: r.Answer, Created: time.Now().UTC()},
		f.asked("AddNetworkRule", r)
}
