package acpagent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
)

// maxSession is how long a program's id of a session may be, in bytes.
const maxSession = 256

// choices are what a session lets one choose.
type choices struct {
	models bool                // session/set_model is there
	option sdk.SessionConfigId // of the model, "" without
}

// session is the program's id of the session.
func (s *Session) session() sdk.SessionId {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// begin agrees on the protocol and opens the session.
func (s *Session) begin(ctx context.Context) (agent.Resumed, error) {
	r := agent.Resumed{State: agent.State{Model: s.o.Model}}
	hello, err := call[sdk.InitializeResponse](ctx, s, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber, ClientInfo: &sdk.Implementation{Name: "piwork", Version: s.o.Version},
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: s.o.Files != nil, WriteTextFile: s.o.Files != nil}},
	})
	if err != nil {
		return r, err
	}
	if hello.ProtocolVersion != sdk.ProtocolVersionNumber {
		return r, fmt.Errorf("it speaks version %d of its protocol, not %d", hello.ProtocolVersion, sdk.ProtocolVersionNumber)
	}
	s.able = hello.AgentCapabilities
	if s.o.Session != "" {
		resumed, err := s.resume(ctx)
		if err != nil {
			return r, err
		}
		if resumed {
			s.say(func() []agent.Entry { return []agent.Entry{agent.Notice(agent.NoticeResumed, "", nil)} })
			return r, nil
		}
		s.say(func() []agent.Entry { return []agent.Entry{agent.Notice(agent.NoticeForgot, "", nil)} })
	}
	made, err := call[sdk.NewSessionResponse](ctx, s, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: s.o.Dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		return r, err
	}
	if n := len(made.SessionId); n == 0 || n > maxSession {
		return r, fmt.Errorf("the id of its session has %d bytes", n)
	}
	s.opened(made.SessionId, made.Models, made.ConfigOptions)
	return r, s.o.Opened(string(made.SessionId))
}

// resume has the session go on that there is, and reports whether the program did that. What it
// repeats of the session comes outside of a turn, and is dropped.
func (s *Session) resume(ctx context.Context) (bool, error) {
	id := sdk.SessionId(s.o.Session)
	var models *sdk.SessionModelState
	var options []sdk.SessionConfigOption
	var err error
	switch {
	case s.able.SessionCapabilities.Resume != nil:
		var out sdk.ResumeSessionResponse
		out, err = call[sdk.ResumeSessionResponse](ctx, s, sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{Cwd: s.o.Dir, SessionId: id, McpServers: []sdk.McpServer{}})
		models, options = out.Models, out.ConfigOptions
	case s.able.LoadSession:
		var out sdk.LoadSessionResponse
		out, err = call[sdk.LoadSessionResponse](ctx, s, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{Cwd: s.o.Dir, SessionId: id, McpServers: []sdk.McpServer{}})
		models, options = out.Models, out.ConfigOptions
	default:
		return false, nil
	}
	if refused, ok := errors.AsType[*agent.CommandError](err); ok {
		s.o.Log.Info("the AI program does not have its session any more", "error", refused.Text)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.opened(id, models, options)
	return true, nil
}

// opened notes what a session offers.
func (s *Session) opened(id sdk.SessionId, models *sdk.SessionModelState, options []sdk.SessionConfigOption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.chosen = id, choices{models: models != nil}
	i := slices.IndexFunc(options, func(o sdk.SessionConfigOption) bool {
		return o.Select != nil && o.Select.Category != nil && *o.Select.Category == sdk.SessionConfigOptionCategoryModel && len(o.Select.Id) <= maxSession
	})
	if i >= 0 {
		s.chosen.option = options[i].Select.Id
	}
}

// SetModel changes the model, "<provider>/<model>", from the next turn on. A change that the program
// makes after ctx has ended is noticed, too.
func (s *Session) SetModel(ctx context.Context, model string) error {
	s.mu.Lock()
	id, c := s.id, s.chosen
	s.mu.Unlock()
	set := make(chan error, 1)
	go func() {
		s.choosing.Lock()
		defer s.choosing.Unlock()
		err := c.choose(s, id, s.o.Named(model))
		if err == nil {
			s.say(func() []agent.Entry {
				s.line.SetModel(model)
				return []agent.Entry{agent.Notice(agent.NoticeModel, "", map[string]any{"model": agent.OneLine(model, agent.MaxName)})}
			})
		}
		set <- err
	}()
	select {
	case err := <-set:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// choose has a session ask a model from its next turn on, by the program's name for it.
func (c choices) choose(s *Session, id sdk.SessionId, name string) error {
	var err error
	switch {
	case c.option != "":
		_, err = call[sdk.SetSessionConfigOptionResponse](s.ctx, s, sdk.AgentMethodSessionSetConfigOption, sdk.SetSessionConfigOptionRequest{
			ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: id, ConfigId: c.option, Value: sdk.SessionConfigValueId(name)}})
	case c.models:
		_, err = call[sdk.UnstableSetSessionModelResponse](s.ctx, s, sdk.AgentMethodSessionSetModel, sdk.UnstableSetSessionModelRequest{SessionId: id, ModelId: sdk.UnstableModelId(name)})
	default:
		err = &agent.CommandError{Command: sdk.AgentMethodSessionSetModel, Text: "it has one model only"}
	}
	return err
}

// SetThinking is refused: the protocol does not have it.
func (s *Session) SetThinking(context.Context, string) error {
	return &agent.CommandError{Command: "set_thinking", Text: "it decides itself how long it thinks"}
}

// State is what is known of the program: it says nothing of how long it thinks.
func (s *Session) State(context.Context) (agent.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return agent.State{Running: s.busy}, nil
}

// Compact is refused: the program summarises by itself.
func (s *Session) Compact(context.Context) error {
	err := &agent.CommandError{Command: "compact", Text: "it summarises older messages by itself"}
	s.say(func() []agent.Entry {
		return []agent.Entry{agent.Notice(agent.NoticeNotCompact, "", map[string]any{"reason": "manual"})}
	})
	return err
}
