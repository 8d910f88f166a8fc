package acpagent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
)

// handle deals with what the program asks or tells. The gate lets updates through, which come one
// at a time, and requests.
func (s *Session) handle(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	if method == sdk.ClientMethodSessionUpdate {
		raw := <-s.gate.updates
		defer s.gate.told()
		var p sdk.SessionNotification
		if json.Unmarshal(params, &p) == nil { // what is not known is passed over
			s.update(p, raw)
		}
		return nil, nil
	}
	defer s.gate.open.Done()
	switch method {
	case sdk.ClientMethodSessionRequestPermission:
		return serve(params, func(p sdk.RequestPermissionRequest) (any, error) { return s.permission(ctx, p) })
	case sdk.ClientMethodFsReadTextFile:
		return serve(params, func(p sdk.ReadTextFileRequest) (any, error) { return served{s}.read(ctx, p) })
	case sdk.ClientMethodFsWriteTextFile:
		return serve(params, func(p sdk.WriteTextFileRequest) (any, error) { return served{s}.write(ctx, p) })
	}
	return nil, sdk.NewMethodNotFound("") // the name is the program's own
}

// answers are the methods that are served; the gate lets through no others.
var answers = []string{sdk.ClientMethodSessionRequestPermission, sdk.ClientMethodFsReadTextFile, sdk.ClientMethodFsWriteTextFile}

// serve answers a request.
func serve[T any](params json.RawMessage, do func(T) (any, error)) (any, *sdk.RequestError) {
	var p T
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, sdk.NewInvalidParams(nil)
	}
	answer, err := do(p)
	if err == nil {
		return answer, nil
	}
	if refused, ok := errors.AsType[*sdk.RequestError](err); ok {
		return nil, refused
	}
	return nil, &sdk.RequestError{Code: -32000, Message: agent.OneLine(err.Error(), agent.MaxNotice)}
}

// update passes on what the program says in a turn. The first of it shows that the program has
// the message of the turn.
func (s *Session) update(p sdk.SessionNotification, raw int64) {
	s.emitting.Lock()
	defer s.emitting.Unlock()
	t := s.current(p.SessionId)
	if t == nil {
		return
	}
	if spoken(p.Update) {
		s.hear(t)
	}
	s.emit(s.line.Update(p.Update, raw, time.Now()))
	if s.line.Pending() {
		select {
		case s.flush <- struct{}{}:
		default:
		}
	}
}

// spoken reports whether an update belongs to a turn.
func spoken(u sdk.SessionUpdate) bool {
	return u.AgentMessageChunk != nil || u.AgentThoughtChunk != nil || u.ToolCall != nil || u.ToolCallUpdate != nil || u.Plan != nil
}

// underWay is the turn of the session that may ask for something; nil when there is none, or it was
// stopped.
func (s *Session) underWay(id sdk.SessionId) *turn {
	t := s.current(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if t == nil || t.aborted {
		return nil
	}
	return t
}

// current is the turn of the session that is not over: how its tools end is told although it was
// stopped.
func (s *Session) current(id sdk.SessionId) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != s.id || s.now == nil || s.ctx.Err() != nil {
		return nil
	}
	return s.now
}
