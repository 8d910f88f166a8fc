// Package acpagenttest is an agent that speaks the real protocol, for tests of its client: what it
// does in a turn is a function of the test.
package acpagenttest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"
)

// Agent is an agent with scripted turns. Its sessions are kept for as long as it is.
type Agent struct {
	Turn   func(ctx context.Context, t *Turn) (sdk.StopReason, error)
	Able   sdk.AgentCapabilities
	Models []string        // that it offers to choose from
	Slow   <-chan struct{} // nil, or it changes the model once this is closed
	NoSuch bool            // it has lost its sessions

	mu     sync.Mutex
	conn   *sdk.AgentSideConnection
	next   int
	cancel map[sdk.SessionId]context.CancelFunc
	Chosen []string // models, one after the other
	Opened []string // "new", "load ID", "resume ID"
}

// Turn is one prompt.
type Turn struct {
	*sdk.AgentSideConnection
	Session sdk.SessionId
	Text    string
	Images  int
}

// Serve speaks over in and out until the client is gone.
func (a *Agent) Serve(in io.Reader, out io.Writer) {
	a.mu.Lock()
	c := sdk.NewAgentSideConnection(a, out, in)
	c.SetLogger(slog.New(slog.DiscardHandler))
	a.conn, a.cancel = c, map[sdk.SessionId]context.CancelFunc{}
	a.mu.Unlock()
	<-c.Done()
}

// Say is a part of a message.
func (t *Turn) Say(ctx context.Context, text string) error {
	return t.Update(ctx, sdk.UpdateAgentMessageText(text))
}

// Update tells an update.
func (t *Turn) Update(ctx context.Context, u sdk.SessionUpdate) error {
	return t.SessionUpdate(ctx, sdk.SessionNotification{SessionId: t.Session, Update: u})
}

// May asks for a yes to a call, and returns the option that was chosen, "" when it was cancelled.
func (t *Turn) May(ctx context.Context, call sdk.ToolCallUpdate) (string, error) {
	r, err := t.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: t.Session, ToolCall: call, Options: Options()})
	if err != nil || r.Outcome.Selected == nil {
		return "", err
	}
	return string(r.Outcome.Selected.OptionId), nil
}

// Options are those that agents usually offer.
func Options() []sdk.PermissionOption {
	return []sdk.PermissionOption{
		{OptionId: "always", Kind: sdk.PermissionOptionKindAllowAlways, Name: "Always"}, {OptionId: "once", Kind: sdk.PermissionOptionKindAllowOnce, Name: "Once"},
		{OptionId: "reject", Kind: sdk.PermissionOptionKindRejectOnce, Name: "No"},
	}
}

// Authenticate implements sdk.Agent.
func (a *Agent) Authenticate(context.Context, sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, nil
}

// Initialize implements sdk.Agent.
func (a *Agent) Initialize(context.Context, sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	a.mu.Lock() // the connection is known from here on
	defer a.mu.Unlock()
	return sdk.InitializeResponse{ProtocolVersion: sdk.ProtocolVersionNumber, AgentCapabilities: a.Able, AuthMethods: []sdk.AuthMethod{}}, nil
}

func (a *Agent) options() []sdk.SessionConfigOption {
	if len(a.Models) == 0 {
		return nil
	}
	var values sdk.SessionConfigSelectOptionsUngrouped
	for _, m := range a.Models {
		values = append(values, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m), Name: m})
	}
	o := sdk.NewSessionConfigOptionSelect(sdk.SessionConfigValueId(a.Models[0]), sdk.SessionConfigSelectOptions{Ungrouped: &values})
	o.Select.Id, o.Select.Name, o.Select.Category = "model", "Model", sdk.Ptr(sdk.SessionConfigOptionCategoryModel)
	return []sdk.SessionConfigOption{o}
}

// NewSession implements sdk.Agent.
func (a *Agent) NewSession(context.Context, sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next++
	a.Opened = append(a.Opened, "new")
	return sdk.NewSessionResponse{SessionId: sdk.SessionId(fmt.Sprintf("ses_%d", a.next)), ConfigOptions: a.options()}, nil
}

// LoadSession implements sdk.AgentLoader: it repeats what was said.
func (a *Agent) LoadSession(ctx context.Context, r sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	a.mu.Lock()
	a.Opened = append(a.Opened, "load "+string(r.SessionId))
	c, lost := a.conn, a.NoSuch
	a.mu.Unlock()
	if lost {
		return sdk.LoadSessionResponse{}, sdk.NewInvalidParams(nil)
	}
	for _, u := range []sdk.SessionUpdate{sdk.UpdateUserMessageText("from before"), sdk.UpdateAgentMessageText("an old answer")} {
		if err := c.SessionUpdate(ctx, sdk.SessionNotification{SessionId: r.SessionId, Update: u}); err != nil {
			return sdk.LoadSessionResponse{}, err
		}
	}
	return sdk.LoadSessionResponse{}, nil
}

// ResumeSession implements sdk.Agent.
func (a *Agent) ResumeSession(_ context.Context, r sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Opened = append(a.Opened, "resume "+string(r.SessionId))
	if a.NoSuch {
		return sdk.ResumeSessionResponse{}, sdk.NewInvalidParams(nil)
	}
	return sdk.ResumeSessionResponse{}, nil
}

// Prompt implements sdk.Agent.
func (a *Agent) Prompt(ctx context.Context, r sdk.PromptRequest) (sdk.PromptResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.cancel[r.SessionId] = cancel
	t := &Turn{AgentSideConnection: a.conn, Session: r.SessionId}
	a.mu.Unlock()
	var texts []string
	for _, b := range r.Prompt {
		if b.Text != nil {
			texts = append(texts, b.Text.Text)
		}
		if b.Image != nil {
			t.Images++
		}
	}
	t.Text = strings.Join(texts, "\n")
	stop, err := a.Turn(ctx, t)
	return sdk.PromptResponse{StopReason: stop}, err
}

// Cancel implements sdk.Agent.
func (a *Agent) Cancel(_ context.Context, n sdk.CancelNotification) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.cancel[n.SessionId]; cancel != nil {
		cancel()
	}
	return nil
}

// SetSessionConfigOption implements sdk.Agent.
func (a *Agent) SetSessionConfigOption(_ context.Context, r sdk.SetSessionConfigOptionRequest) (sdk.SetSessionConfigOptionResponse, error) {
	if a.Slow != nil {
		<-a.Slow
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.ValueId != nil {
		a.Chosen = append(a.Chosen, string(r.ValueId.Value))
	}
	return sdk.SetSessionConfigOptionResponse{ConfigOptions: a.options()}, nil
}

// SetSessionMode implements sdk.Agent.
func (a *Agent) SetSessionMode(context.Context, sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	return sdk.SetSessionModeResponse{}, nil
}

// CloseSession implements sdk.Agent.
func (a *Agent) CloseSession(context.Context, sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	return sdk.CloseSessionResponse{}, nil
}

// ListSessions implements sdk.Agent.
func (a *Agent) ListSessions(context.Context, sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	return sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}, nil
}
