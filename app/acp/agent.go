package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent/program"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// The methods of the protocol. Those of prompts are in turn.go.
var (
	_ sdk.Agent       = (*Door)(nil)
	_ sdk.AgentLoader = (*Door)(nil)
)

// Initialize says what the door can do.
func (d *Door) Initialize(context.Context, sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	return sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: "piwork", Title: sdk.Ptr("piwork"), Version: d.o.Version},
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: sdk.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: sdk.SessionCapabilities{
				List: &sdk.SessionListCapabilities{}, Resume: &sdk.SessionResumeCapabilities{}, Close: &sdk.SessionCloseCapabilities{},
				AdditionalDirectories: &sdk.SessionAdditionalDirectoriesCapabilities{},
			},
		},
		AuthMethods: []sdk.AuthMethod{},
	}, nil
}

// Authenticate has no methods: keys are piwork's.
func (d *Door) Authenticate(context.Context, sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, sdk.NewMethodNotFound(sdk.AgentMethodAuthenticate)
}

// SetSessionMode has no modes.
func (d *Door) SetSessionMode(context.Context, sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	return sdk.SetSessionModeResponse{}, sdk.NewMethodNotFound(sdk.AgentMethodSessionSetMode)
}

// NewSession opens a session on a folder. Its task starts with the first prompt.
func (d *Door) NewSession(ctx context.Context, r sdk.NewSessionRequest) (out sdk.NewSessionResponse, err error) {
	folders, err := d.chosen(ctx, r.Cwd, r.AdditionalDirectories)
	if err != nil {
		return out, d.said(err)
	}
	id, err := task.NewID()
	if err != nil {
		return out, d.said(err)
	}
	s := &session{id: sdk.SessionId(id), agent: d.o.Agent, folders: folders, model: d.o.Model}
	if err := d.add(s); err != nil {
		return out, err
	}
	out.SessionId = s.id
	out.Models, out.ConfigOptions = d.models(ctx, s)
	return out, nil
}

// LoadSession opens the session of a task that is there, and tells all of it.
func (d *Door) LoadSession(ctx context.Context, r sdk.LoadSessionRequest) (out sdk.LoadSessionResponse, err error) {
	s, t, err := d.opened(ctx, r.SessionId, r.Cwd)
	if err != nil {
		return out, err
	}
	events, err := d.service.Timeline(ctx, t.ID, 0)
	if err != nil {
		return out, d.said(err)
	}
	d.replay(ctx, s, events)
	out.Models, out.ConfigOptions = d.models(ctx, s)
	return out, nil
}

// ResumeSession is LoadSession for an editor that has the conversation.
func (d *Door) ResumeSession(ctx context.Context, r sdk.ResumeSessionRequest) (out sdk.ResumeSessionResponse, err error) {
	s, _, err := d.opened(ctx, r.SessionId, r.Cwd)
	if err == nil {
		out.Models, out.ConfigOptions = d.models(ctx, s)
	}
	return out, err
}

// CloseSession ends what the session does, and prompts that wait for their turn. Its task can be
// loaded again.
func (d *Door) CloseSession(ctx context.Context, r sdk.CloseSessionRequest) (out sdk.CloseSessionResponse, err error) {
	s, err := d.session(r.SessionId)
	if err != nil {
		return out, err
	}
	s.addClosing(1)
	s.stop()
	if err := s.enter(ctx); err != nil {
		s.addClosing(-1) // the editor withdrew the request
		return out, d.said(err)
	}
	defer s.leave()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, s.id)
	return out, nil
}

// ListSessions lists AI tasks, the newest first, page by page.
func (d *Door) ListSessions(ctx context.Context, r sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	out := sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}
	f := task.Filter{Kinds: []task.Kind{task.KindAI}, Limit: maxListed}
	var cwd, leads string
	if r.Cwd != nil {
		cwd, leads = *r.Cwd, leadsTo(*r.Cwd)
		f.Folder = cmp.Or(leads, cwd)
	}
	if r.Cursor != nil {
		var err error
		if f.Before, err = time.Parse(time.RFC3339Nano, *r.Cursor); err != nil {
			return out, d.said(problem.BadRequest("cursor", "it is not of this list"))
		}
	}
	all, err := d.service.FindTasks(ctx, f)
	if err != nil {
		return out, d.said(err)
	}
	for _, t := range all {
		if !d.offers(t) {
			continue
		}
		shared := foldersOf(t, cwd, leads)
		one := sdk.SessionInfo{SessionId: sdk.SessionId(t.ID), Cwd: shared[0].named, Title: &t.Title, UpdatedAt: sdk.Ptr(changed(t).Format(time.RFC3339))}
		for _, f := range shared[1:] {
			one.AdditionalDirectories = append(one.AdditionalDirectories, f.named)
		}
		out.Sessions = append(out.Sessions, one)
	}
	if len(all) == maxListed {
		out.NextCursor = sdk.Ptr(all[len(all)-1].Created.Format(time.RFC3339Nano))
	}
	return out, nil
}

// changed is when something happened last in a task.
func changed(t task.Task) time.Time {
	for _, at := range []*time.Time{t.Ended, t.Started} {
		if at != nil {
			return *at
		}
	}
	return t.Created
}

// modelOption is the one option of a session.
const modelOption = "model"

// models are those of piwork, in the two ways in which editors know them. Without any, a prompt
// says what is missing.
func (d *Door) models(ctx context.Context, s *session) (*sdk.SessionModelState, []sdk.SessionConfigOption) {
	all, err := d.usable(ctx, s.agent)
	s.mu.Lock()
	if s.model == "" && all.Default == "" && len(all.List) > 0 { // the program cannot use the default
		s.model = all.List[0].ID
	}
	now := cmp.Or(s.model, all.Default)
	s.mu.Unlock()
	if err != nil || now == "" || len(all.List) == 0 {
		return nil, nil
	}
	if i := slices.IndexFunc(all.List, func(m models.Model) bool { return m.ID == now }); i < 0 {
		all.List = slices.Insert(all.List, 0, models.Model{ID: now, Name: now})
	} else if i >= maxListed {
		all.List = slices.Insert(all.List, 0, all.List[i])
	}
	state := &sdk.SessionModelState{CurrentModelId: sdk.ModelId(now)}
	var values sdk.SessionConfigSelectOptionsUngrouped
	for _, m := range all.List[:min(len(all.List), maxListed)] {
		m.Name = cmp.Or(m.Name, m.ID)
		state.AvailableModels = append(state.AvailableModels, sdk.ModelInfo{ModelId: sdk.ModelId(m.ID), Name: m.Name, Description: &m.Provider})
		values = append(values, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.ID), Name: m.Name, Description: &m.Provider})
	}
	option := sdk.NewSessionConfigOptionSelect(sdk.SessionConfigValueId(now), sdk.SessionConfigSelectOptions{Ungrouped: &values})
	option.Select.Id, option.Select.Name, option.Select.Category = modelOption, d.o.Words.Text("acp.model", nil), sdk.Ptr(sdk.SessionConfigOptionCategoryModel)
	return state, []sdk.SessionConfigOption{option}
}

// usable are the models that an AI program can use, with the default where it is one of them.
func (d *Door) usable(ctx context.Context, agent string) (models.Catalogue, error) {
	all, err := d.service.Models(ctx)
	by, _ := program.Find(agent)
	if err != nil || by.Own() {
		return all, err
	}
	programs, err := d.service.Programs(ctx)
	if err != nil {
		return all, err
	}
	var providers []string
	for _, p := range programs {
		if p.Name == by.Name {
			providers = p.Providers
		}
	}
	all.List = slices.DeleteFunc(slices.Clone(all.List), func(m models.Model) bool { return !slices.Contains(providers, m.Provider) })
	if !slices.ContainsFunc(all.List, func(m models.Model) bool { return m.ID == all.Default }) {
		all.Default = ""
	}
	return all, nil
}

// choose has a session use another model.
func (d *Door) choose(ctx context.Context, id sdk.SessionId, model string) (*session, error) {
	s, err := d.session(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	name := s.task
	s.mu.Unlock()
	if name != "" {
		_, err = d.service.SetTaskModel(ctx, name, tasks.TaskModelRequest{Model: model})
	} else if all, merr := d.usable(ctx, s.agent); merr != nil {
		err = merr
	} else if !slices.ContainsFunc(all.List, func(m models.Model) bool { return m.ID == model }) {
		err = problem.New(problem.CodeUnknownModel).With("model", model)
	}
	if err != nil {
		return nil, d.said(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = model
	return s, nil
}

// UnstableSetSessionModel chooses a model.
func (d *Door) UnstableSetSessionModel(ctx context.Context, r sdk.UnstableSetSessionModelRequest) (sdk.UnstableSetSessionModelResponse, error) {
	_, err := d.choose(ctx, r.SessionId, string(r.ModelId))
	return sdk.UnstableSetSessionModelResponse{}, err
}

// SetSessionConfigOption chooses a model, too.
func (d *Door) SetSessionConfigOption(ctx context.Context, r sdk.SetSessionConfigOptionRequest) (out sdk.SetSessionConfigOptionResponse, err error) {
	if r.ValueId == nil || r.ValueId.ConfigId != modelOption {
		return out, d.said(problem.BadRequest("configId", "the only option is %q", modelOption))
	}
	s, err := d.choose(ctx, r.ValueId.SessionId, string(r.ValueId.Value))
	if err == nil {
		_, out.ConfigOptions = d.models(ctx, s)
	}
	return out, err
}

// replay tells what happened in a task, the newest maxReplayed of it.
func (d *Door) replay(ctx context.Context, s *session, events []task.Event) {
	u := d.turnOf(ctx, s)
	for _, e := range events[max(0, len(events)-maxReplayed):] {
		switch data := decoded(e).(type) {
		case task.MessageData:
			u.message(data)
		case task.ToolData:
			u.tool(data)
		}
	}
}

// maxReplayed bounds what is told of a task that is loaded.
const maxReplayed = 5000

// decoded is the data of an event that may be as it was stored.
func decoded(e task.Event) any {
	raw, ok := e.Data.(json.RawMessage)
	if !ok {
		return e.Data
	}
	e.Data = nil
	switch e.Kind {
	case task.EventMessage:
		e.Data = parsed[task.MessageData](raw)
	case task.EventTool:
		e.Data = parsed[task.ToolData](raw)
	case task.EventDecision:
		e.Data = parsed[vmhost.Decision](raw)
	}
	return e.Data
}

// parsed is a T, nil where it is none.
func parsed[T any](raw json.RawMessage) any {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}
