package gatewaytest

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Models that servers say they have.
const (
	AnthropicModel = "claude-sonnet-5"
	OpenAIModel    = "scripted-1"
	PiModel        = "scripted-pi"
)

// Tool is a call of a tool.
type Tool struct {
	Name  string
	Input any // becomes JSON
}

// Turn is one answer.
type Turn struct {
	Parts []string // of the text, each is sent on its own
	Tools []Tool   // called after the text

	Status     int    // 0 is 200; else the answer is an error
	Message    string // of the error
	RetryAfter string // header

	Pause  time.Duration // between parts
	Step   chan struct{} // each part waits for one; closed: none does
	Cut    bool          // the connection is closed after the parts, without an end
	Stall  bool          // after the parts nothing comes any more, until the client goes
	Silent bool          // it never says what was used
	Cost   float64       // what it says that it cost, in dollars (pi's own protocol)

	Raw func(w http.ResponseWriter, r *http.Request) // answers all by itself

	Input, Output, CacheRead, CacheWrite int64 // what was used; zeros are 10 and one for each part
}

// Question is what was asked.
type Question struct {
	Method string
	Path   string // with the query
	Host   string
	Header http.Header
	Body   []byte
	Model  string
	Stream bool
}

// Server is a provider.
type Server struct {
	URL string // base address for Anthropic; add /v1 for OpenAI

	srv *httptest.Server
	key string

	mu     sync.Mutex
	script []Turn
	reply  func(Question) Turn
	asked  []Question
}

// New starts a server. Requests without key are refused; "" takes all. Close it in
// the end.
func New(key string, script ...Turn) *Server {
	s := &Server{key: key, script: script}
	s.srv = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.srv.URL
	return s
}

// NewTLS is [New] with https; its certificate is trusted by Client only.
func NewTLS(key string, script ...Turn) *Server {
	s := &Server{key: key, script: script}
	s.srv = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	s.URL = s.srv.URL
	return s
}

// Client trusts the server's certificate.
func (s *Server) Client() *http.Client { return s.srv.Client() }

// Close ends the server and all its connections.
func (s *Server) Close() {
	s.srv.CloseClientConnections()
	s.srv.Close()
}

// Script replaces what is left of the script.
func (s *Server) Script(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.reply = turns, nil
}

// Reply makes a function answer in place of the script.
func (s *Server) Reply(f func(Question) Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = f
}

// Questions are what was asked so far.
func (s *Server) Questions() []Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Question(nil), s.asked...)
}

// Key is what a request is signed in with, in any of the ways there are.
func (q Question) Key() string {
	for _, n := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if v := q.Header.Get(n); v != "" {
			return v
		}
	}
	return strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	q := Question{Method: r.Method, Path: r.URL.RequestURI(), Host: r.Host, Header: r.Header.Clone()}
	q.Body, _ = io.ReadAll(r.Body) // a body that broke off is as it is
	var b struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`

		Context json.RawMessage `json:"context"` // of pi's own protocol
	}
	if json.Unmarshal(q.Body, &b) == nil {
		q.Model, q.Stream = b.Model, b.Stream
	}
	pi := b.Context != nil
	anthropic := strings.HasPrefix(r.URL.Path, "/v1/messages") && !pi || r.Header.Get("Anthropic-Version") != ""
	if s.key != "" && q.Key() != s.key {
		s.note(q)
		fail(w, anthropic, Turn{Status: http.StatusUnauthorized, Message: "invalid x-api-key"})
		return
	}
	if r.Method == http.MethodGet {
		s.note(q)
		if r.URL.Path == "/v1/config" {
			answer(w, piConfig(s.URL))
			return
		}
		answer(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": AnthropicModel}, map[string]any{"id": OpenAIModel}}})
		return
	}
	t := s.take(q)
	switch {
	case t.Raw != nil:
		t.Raw(w, r)
	case t.Status >= 300:
		fail(w, anthropic, t)
	case r.URL.Path == "/v1/messages" && pi:
		(&speaker{w: w, r: r, t: t, q: q}).pi()
	case r.URL.Path == "/v1/messages":
		(&speaker{w: w, r: r, t: t, q: q}).anthropic()
	case r.URL.Path == "/v1/chat/completions":
		(&speaker{w: w, r: r, t: t, q: q}).openai()
	case r.URL.Path == "/v1/responses":
		(&speaker{w: w, r: r, t: t, q: q}).responses()
	case r.URL.Path == "/v1/messages/count_tokens":
		answer(w, map[string]any{"input_tokens": len(q.Body) / 4})
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) note(q Question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
}

// take is the turn for a question.
func (s *Server) take(q Question) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	if s.reply != nil {
		return s.reply(q)
	}
	if len(s.script) == 0 {
		return Turn{Parts: []string{"done"}}
	}
	t := s.script[0]
	if len(s.script) > 1 {
		s.script = s.script[1:]
	}
	return t
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the client may be gone
}

func fail(w http.ResponseWriter, anthropic bool, t Turn) {
	if t.RetryAfter != "" {
		w.Header().Set("Retry-After", t.RetryAfter)
	}
	kind := cmp.Or(map[int]string{401: "authentication_error", 402: "billing_error", 403: "permission_error", 429: "rate_limit_error", 529: "overloaded_error"}[t.Status], "api_error")
	v := map[string]any{"error": map[string]any{"type": kind, "message": t.Message, "code": kind}}
	if anthropic {
		v["type"] = "error"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(t.Status)
	w.Write(b) //nolint:errcheck // the client may be gone
}

// Refusing is an address on this computer where nobody listens: a port that is
// free now could be another server's a moment later.
const Refusing = "http://127.0.0.1:1"

var errGone = errors.New("the client is gone")
