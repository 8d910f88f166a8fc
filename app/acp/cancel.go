package acp

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"sync"

	sdk "github.com/coder/acp-go-sdk"
)

// prompts are the requests of an editor that were passed on to the SDK and are not answered. The
// SDK reads each in a goroutine of its own, and a long one is read for a while: a session/cancel
// that follows it at once finds no prompt at work. The SDK keeps the order of messages for
// $/cancel_request alone, which names requests by their ids.
type prompts struct {
	mu   sync.Mutex
	open map[string]sdk.SessionId // by id; at most maxRequests
}

// add notes a prompt before the SDK has it. One without an id is never answered, nor named.
func (p *prompts) add(m envelope) {
	if !m.request() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]sdk.SessionId{}
	}
	p.open[m.idKey()] = m.session()
}

// answered notes an answer, before the editor can use its id again.
func (p *prompts) answered(m envelope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, m.idKey())
}

// take returns the ids of a session's prompts, each once.
func (p *prompts) take(session sdk.SessionId) (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.open, func(id string, of sdk.SessionId) bool {
		if of == session {
			ids = append(ids, id)
		}
		return of == session
	})
	return ids
}

// idKey is the id of a message as its answer has it: the SDK writes <, > and & as \u003c and so on.
func (m envelope) idKey() string {
	b, err := json.Marshal(m.ID)
	if err != nil {
		return string(m.ID)
	}
	return string(b)
}

// session is the one that a message is for.
func (m envelope) session() sdk.SessionId {
	var p struct {
		SessionID sdk.SessionId `json:"sessionId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return ""
	}
	return p.SessionID
}

// cancelPrompts ends the prompts of a session that came before a session/cancel. It does that before
// the SDK has the next message: a cancel that comes late would end the next prompt.
func (d *Door) cancelPrompts(m envelope, to io.Writer, w *writer) error {
	id := m.session()
	for _, prompt := range w.prompts.take(id) {
		if _, err := io.WriteString(to, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+prompt+"}}\n"); err != nil {
			return err
		}
	}
	_ = d.Cancel(context.Background(), sdk.CancelNotification{SessionId: id}) // no session has nothing at work
	return nil
}
