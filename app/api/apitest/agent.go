package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"piwork/app/actions"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// Agent is what AI tasks say and do.
type Agent struct {
	Events []task.Event // of every turn, after the person's message: kind and data
	Lines  map[int64]json.RawMessage
	Waits  []task.Pending // of every task: it has not heard them yet

	Changes []wire.FileChange // of what is watched
	Servers bool              // AI tasks of the person have MCP servers
}

// turn is what the agent does about one message.
func (a Agent) turn(r *running, text, how string) {
	r.emit(task.EventMessage, task.MessageData{ID: "u" + time.Now().Format("150405.000000000"), Role: "user", Text: text, How: how})
	for _, e := range a.Events {
		r.emit(e.Kind, e.Data)
	}
}

// talk is the conversation with the agents of tasks.
type talk struct{ *runs }

func (f talk) Say(_ context.Context, id string, req tasks.SayRequest) (task.Task, error) {
	r, err := f.called("Say", id)
	if err != nil {
		return task.Task{}, err
	}
	if r.record().State.Final() {
		return r.again(func() { f.Agent.turn(r, req.Text, "prompt") }, task.StateDone, nil), nil
	}
	f.Agent.turn(r, req.Text, cmp.Or(req.How, "steer"))
	return r.record(), nil
}

func (f talk) TakeBack(_ context.Context, id, message string) (task.Task, error) {
	return f.withAgent("TakeBack", id, func(ai *task.AI) error {
		n := len(ai.Pending)
		ai.Pending = slices.DeleteFunc(slices.Clone(ai.Pending), func(p task.Pending) bool { return p.ID == message })
		if len(ai.Pending) == n {
			return problem.New(problem.CodeMessageHeard).With("task", id).With("message", message)
		}
		return nil
	})
}

func (f talk) SetTaskModel(_ context.Context, id string, req tasks.TaskModelRequest) (task.Task, error) {
	return f.withAgent("SetTaskModel", id, func(ai *task.AI) error {
		ai.Model, ai.Thinking = cmp.Or(req.Model, ai.Model), cmp.Or(req.Thinking, ai.Thinking)
		return nil
	})
}

// withAgent changes what the record of a task says of its agent.
func (f talk) withAgent(method, id string, change func(*task.AI) error) (task.Task, error) {
	return f.edited(method, id, func(t *task.Task) error {
		var ai task.AI
		if t.AI != nil {
			ai = *t.AI
		}
		err := change(&ai)
		if err == nil {
			t.AI = &ai
		}
		return err
	})
}

func (f talk) CompactTask(_ context.Context, id string, _ bool) (task.Task, error) {
	r, err := f.called("CompactTask", id)
	if err != nil {
		return task.Task{}, err
	}
	was := r.record()
	if !was.State.Final() {
		return task.Task{}, problem.New(problem.CodeTaskRunning).With("task", id)
	}
	return r.again(func() { r.emit(task.EventNotice, task.NoticeData{Code: "compacted"}) }, was.State, was.Error), nil
}

func (f talk) Interrupt(ctx context.Context, id string) (task.Task, error) {
	if err := f.refused("Interrupt"); err != nil {
		return task.Task{}, err
	}
	return f.CancelTask(ctx, id)
}

func (f talk) AgentLine(_ context.Context, id string, n int64) (json.RawMessage, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Agent.Lines[n] == nil {
		return nil, notFound(id)
	}
	return f.Agent.Lines[n], f.refused("AgentLine")
}

// AgentEvents are the lines, in their order.
func (f talk) AgentEvents(_ context.Context, id string, after int64, fn func(int64, json.RawMessage) error) error {
	if _, err := f.find(id); err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(f.Agent.Lines)) {
		if after != task.OnlyNew && n <= after {
			continue
		}
		if err := fn(n, f.Agent.Lines[n]); err != nil {
			return err
		}
	}
	return f.refused("AgentEvents")
}

// WatchFiles has the script's changes, in their order.
func (f talk) WatchFiles(_ context.Context, id string, r actions.WatchRequest, fn func(wire.FileChange) error) error {
	if _, err := about[actions.FileList](f.runs, "WatchFiles", id, r); err != nil {
		return err
	}
	for _, c := range append([]wire.FileChange{{What: wire.ChangeReady, Path: r.Path}}, f.Agent.Changes...) {
		if err := fn(c); err != nil {
			return err
		}
	}
	return nil
}

// keyring is the models and the keys for them.
type keyring struct{ *core }

func (f keyring) ModelsChosen(context.Context) (c models.Chosen, _ error) {
	if m := value[models.Catalogue](f.core); m.Chosen {
		c.Model = m.Default
	}
	c.Store = value[models.KeyStore](f.core).Store
	return c, f.refused("ModelsChosen")
}

func (f keyring) SetModel(_ context.Context, r models.ChoiceRequest) (models.Catalogue, error) {
	if err := f.asked("SetModel", r); err != nil {
		return models.Catalogue{}, err
	}
	return change(f.core, func(m *models.Catalogue) { m.Default, m.Chosen = r.Model, r.Model != "" }), nil
}

func (f keyring) OverrideModel(_ context.Context, r models.OverrideRequest) (models.Catalogue, error) {
	all, err := answered[models.Catalogue](f.core, "OverrideModel", r)
	all.List = slices.Clone(all.List)
	for i := range all.List {
		if m := &all.List[i]; m.ID == r.Model {
			m.Said, m.Images, m.Thinks, m.Context = &r.Override, r.Override.Images, r.Override.Thinks, r.Override.Context
		}
	}
	return all, err
}

func (f keyring) SetKey(_ context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error) {
	info := models.KeyInfo{Provider: provider, Name: provider, Has: true, Kind: "key", Place: "keychain", BaseURL: r.BaseURL, Protocol: r.Protocol}
	if n := len(r.Key); n > 8 {
		info.Ending = r.Key[n-4:]
	}
	return info, f.asked("SetKey", r)
}

func (f keyring) RemoveKey(_ context.Context, provider string) error {
	if !slices.ContainsFunc(value[[]models.KeyInfo](f.core), func(k models.KeyInfo) bool { return k.Provider == provider && k.Has }) {
		return problem.New(problem.CodeNotFound).With("provider", provider)
	}
	return f.refused("RemoveKey")
}

// Login is how signing in goes.
type Login struct {
	models.Login        // what every one is; its id is made
	Code         string // that it takes
	Pass         string // of the file of keys
}

func (f keyring) BeginLogin(_ context.Context, provider string, r models.LoginRequest) (models.Login, error) {
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

func (f keyring) FinishLogin(_ context.Context, _ string, c models.LoginCode) (models.LoginState, error) {
	if c.Code != f.Login.Code {
		return models.LoginState{}, &problem.Problem{Code: problem.CodeLoginFailed, Severity: problem.Failed, Cause: "wrong"}
	}
	return models.LoginState{State: models.LoginDone}, f.refused("FinishLogin")
}

func (f keyring) SetKeyStore(_ context.Context, r models.KeyStoreChoice) (models.KeyStore, error) {
	return f.keyStore("SetKeyStore", f.Login.Pass, models.KeyStore{Store: r.Store})
}

func (f keyring) UnlockKeys(_ context.Context, p models.Passphrase) (models.KeyStore, error) {
	return f.keyStore("UnlockKeys", p.Passphrase, models.KeyStore{Store: models.StoreFile})
}

func (f keyring) ChangePassphrase(_ context.Context, p models.PassphraseChange) (models.KeyStore, error) {
	return f.keyStore("ChangePassphrase", p.Passphrase, value[models.KeyStore](f.core))
}

func (f keyring) keyStore(method, pass string, s models.KeyStore) (models.KeyStore, error) {
	if pass != f.Login.Pass {
		return s, &problem.Problem{Code: problem.CodePassphrase, Severity: problem.Failed, Cause: "wrong"}
	}
	return answered[models.KeyStore](f.core, method, s)
}
