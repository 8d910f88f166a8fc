// Package agenttest has what tests of AI tasks need and no model: a scripted
// one that speaks the chat completions of OpenAI over HTTP, and the real pi as a
// process of this computer.
package agenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Call is a call of a tool.
type Call struct {
	ID   string
	Name string
	Args any
}

// Reply is one answer of the model.
type Reply struct {
	Thinking []string // pieces as they are streamed
	Text     []string
	Calls    []Call

	Status int           // other than 200: an error with Error as its text
	Error  string        //
	Cut    bool          // the connection ends in the middle, after Text
	Gate   chan struct{} // waits here after the first piece of Text, or until the client goes
}

// Model is the scripted model.
type Model struct {
	URL string // of the API, with /v1

	mu       sync.Mutex
	replies  []Reply
	requests []json.RawMessage
}

// NewModel starts one that gives replies in order. Requests beyond them get the
// text "done".
func NewModel(t testing.TB, replies ...Reply) *Model {
	m := &Model{replies: replies}
	srv := httptest.NewServer(m)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	m.URL = srv.URL + "/v1"
	return m
}

// Requests are the bodies that came, in order.
func (m *Model) Requests() []json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]json.RawMessage(nil), m.requests...)
}

// Models is a models.json with this model as "test/scripted", "test/other" and
// under further names.
func (m *Model) Models(names ...string) []byte {
	model := func(id string) map[string]any {
		return map[string]any{"id": id, "name": id, "reasoning": true, "input": []string{"text", "image"},
			"contextWindow": 128000, "maxTokens": 4096,
			"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}
	}
	models := []any{model("scripted"), model("other")}
	for _, n := range names {
		models = append(models, model(n))
	}
	data, err := json.Marshal(map[string]any{"providers": map[string]any{"test": map[string]any{
		"baseUrl": m.URL, "api": "openai-completions", "apiKey": "worthless",
		"models": models}}})
	if err != nil {
		return nil
	}
	return data
}

func (m *Model) next(body []byte) Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, body)
	if len(m.replies) == 0 {
		return Reply{Text: []string{"done"}}
	}
	r := m.replies[0]
	m.replies = m.replies[1:]
	return r
}

// ServeHTTP answers one request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	reply := m.next(body)
	if reply.Status != 0 && reply.Status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"scripted","code":"scripted"}}`, reply.Error)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := stream{w: w, flush: http.NewResponseController(w)}
	s.delta(map[string]any{"role": "assistant", "content": ""}, "")
	for _, p := range reply.Thinking {
		s.delta(map[string]any{"reasoning_content": p}, "")
	}
	for i, p := range reply.Text {
		s.delta(map[string]any{"content": p}, "")
		if i == 0 && reply.Gate != nil {
			select {
			case <-reply.Gate:
			case <-r.Context().Done():
				return
			}
		}
	}
	if reply.Cut {
		panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's way to cut a connection
	}
	finish := "stop"
	for i, c := range reply.Calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			return
		}
		s.delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": string(args)}}}}, "")
		finish = "tool_calls"
	}
	s.delta(map[string]any{}, finish)
	s.event(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{},
		"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// stream is a stream of server-sent events.
type stream struct {
	w     io.Writer
	flush *http.ResponseController
}

func (s stream) delta(delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	s.event(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{choice}})
}

func (s stream) event(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	_ = s.flush.Flush() // the client may be gone
}
