package mcpservers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// AskCall is the code of the question whether an AI may call a tool of a server. Its
// parameters are server, tool, arguments (all of them, as JSON), hosts (the server can send
// there) and topic.
const AskCall = "server-call"

// topicCall is how topics of rules about calls begin: the server, the tool, and what both are
// follow. A rule is about nothing else that is called the same.
const topicCall = "server/"

// Gate asks the person, or a rule (consent.Gate).
type Gate interface {
	Unasked(q vmhost.Question, topic string) (d vmhost.Decision, said bool, err error)
	AskOne(ctx context.Context, q vmhost.Question, topic string) (vmhost.Decision, error)
	Beforehand() approval.Who
}

// Use is what the AI of one task has of the servers. It is safe for concurrent use; a nil Use
// has nothing.
type Use struct {
	s     *Servers
	gate  Gate
	task  string
	agent string // the AI program that works in it
	slow  bool
	span  trace.SpanContext // of the task, for telemetry
	turns chan struct{}

	life context.Context // of the servers that it starts
	end  context.CancelFunc
	mu   sync.Mutex
	runs map[string]*run // by the entry's id
}

// Lends tells whether the AI of a task that client has begin ("" is the person) gets to use
// servers: of tasks of programs, and of chores, it does not.
func (s *Servers) Lends(t task.Task, client string) bool {
	return s != nil && t.Kind == task.KindAI && t.Chore == "" && t.Client == "" && client == "" &&
		slices.ContainsFunc(s.file.Get().Servers, func(v Server) bool {
			return slices.ContainsFunc(v.Tools, func(t Tool) bool { return t.State == ToolOn })
		})
}

// Use is what the AI of a task has: nil where it has nothing. The record of the task says first
// that it has (task.AI.Servers), so that no program with a token steers it. ctx is the task's.
func (s *Servers) Use(ctx context.Context, t task.Task, g Gate) *Use {
	if t.AI == nil || !t.AI.Servers || !s.Lends(t, g.Beforehand().Client) {
		return nil
	}
	u := &Use{s: s, gate: g, task: t.ID, agent: programOf(t), slow: t.Accel == string(qemu.AccelTCG), span: trace.SpanContextFromContext(ctx), turns: make(chan struct{}, maxAtOnce), runs: map[string]*run{}}
	u.life, u.end = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses[u] = struct{}{}
	return u
}

// programOf is the AI program of a task, as requests name it.
func programOf(t task.Task) string {
	if t.AI == nil {
		return ""
	}
	return t.AI.Program
}

// Handler serves the calls; nil where there are none.
func (u *Use) Handler() http.Handler {
	if u == nil {
		return nil
	}
	return http.HandlerFunc(u.serve)
}

// Close ends all servers that the task started, and returns when they are gone.
func (u *Use) Close() {
	if u == nil {
		return
	}
	u.end()
	u.s.mu.Lock()
	delete(u.s.uses, u)
	u.s.mu.Unlock()
	u.mu.Lock()
	runs := u.runs
	u.runs = nil
	u.mu.Unlock()
	for _, r := range runs {
		r.stop()
	}
}

// Why a call was not made, for the model.
const (
	callDenied  = "The person did not allow this call. Do not try the same another way; say what you wanted to do and ask."
	callUnasked = "The question about this call was withdrawn. It was not made."
	callBusy    = "Too many calls of servers at once. Wait for one of them."
	callNotRead = "The request cannot be read."
	callUnknown = "There is no such tool, or the person does not allow it any more."
	callTooLong = "The arguments are too long to be shown to the person."
	callMoved   = "What the server may connect to was changed meanwhile. The call was not made; make it again."
	callChanged = "The tool is not what the person allowed any more: the server describes it in another way now. Tell the person, who can look at it and allow it again."
)

// refusal is an answer that is none of a server.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// serve answers one call.
func (u *Use) serve(w http.ResponseWriter, r *http.Request) {
	select {
	case u.turns <- struct{}{}:
		defer func() { <-u.turns }()
	default:
		answer(w, http.StatusServiceUnavailable, agentkit.ServerAnswer{Error: &agentkit.CommandError{Message: callBusy}})
		return
	}
	var asked agentkit.ServerAsked
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 2*maxArguments))
	if err := d.Decode(&asked); err != nil || r.Method != http.MethodPost || d.More() || len(asked.Arguments) > maxArguments {
		answer(w, http.StatusBadRequest, agentkit.ServerAnswer{Error: &agentkit.CommandError{Message: callNotRead}})
		return
	}
	over := u.s.o.Telemetry.ServerCall(u.span)
	text, failed, err := u.call(r.Context(), asked)
	over(err)
	var no *refusal
	switch {
	case errors.As(err, &no):
		answer(w, no.status, agentkit.ServerAnswer{Error: &agentkit.CommandError{Message: no.text}})
	case err != nil:
		u.s.o.Log.Warn("a call of an MCP server failed", "task", u.task, "tool", cut(asked.Name, maxOfferedName), "error", logged(err))
		answer(w, http.StatusBadGateway, agentkit.ServerAnswer{Error: &agentkit.CommandError{Message: "The MCP server did not do it: " + told(err)}})
	default:
		answer(w, http.StatusOK, agentkit.ServerAnswer{Text: text, Failed: failed})
	}
}

// told is why a call failed, for the AI. Of a problem of this computer it is the code: the details
// may name paths.
func told(err error) string {
	if p, is := errors.AsType[*problem.Problem](err); is {
		return p.Code
	}
	return err.Error()
}

// logged is why a call failed, for the log: a server's own words may repeat what it was sent.
func logged(err error) string {
	if _, is := errors.AsType[*serverError](err); is {
		return "the server failed"
	}
	return told(err)
}

// call makes one, when the person or a rule allows it.
func (u *Use) call(ctx context.Context, asked agentkit.ServerAsked) (string, bool, error) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	defer context.AfterFunc(u.life, giveUp)() // who ends the task waits for what starts, and for answers
	v, t, ok := u.allowed(asked.Name)
	if !ok {
		return "", false, &refusal{http.StatusNotFound, callUnknown}
	}
	arguments, ok := plainArguments(asked.Arguments)
	if !ok {
		return "", false, &refusal{http.StatusBadRequest, callNotRead}
	}
	u.restart(v) // a service of it may have changed since it started
	reach := u.s.o.scope(v)
	if err := u.ask(ctx, v, t, reach, arguments); err != nil {
		return "", false, err
	}
	r, err := u.run(v, reach.run)
	if err != nil {
		return "", false, err
	}
	switch now, tool, ok := u.allowed(asked.Name); { // a person may think for long
	case !ok || now.ID != v.ID || tool.Hash != t.Hash:
		return "", false, &refusal{http.StatusNotFound, callUnknown}
	case u.s.o.scope(now).run != reach.run || r.reach != reach.run:
		u.restart(now) // who changed that may have found no run
		return "", false, &refusal{http.StatusConflict, callMoved}
	}
	defer context.AfterFunc(r.life, giveUp)() // who removes the server does not wait for it either
	c, err := u.started(ctx, r, v)
	if err != nil {
		return "", false, err
	}
	if u.s.o.scope(v).run != r.reach { // a service of it changed while it started
		u.restart(v)
		return "", false, &refusal{http.StatusConflict, callMoved}
	}
	if r.hash(t.Name) != t.Hash {
		if err := u.s.noteChanged(v, t); err != nil {
			u.s.o.Log.Error("that a tool changed could not be noted", "server", v.Name, "error", err)
		}
		return "", false, &refusal{http.StatusConflict, callChanged}
	}
	calling, cancel := context.WithTimeoutCause(ctx, callWithin, fmt.Errorf("it did not answer within %v", callWithin))
	defer cancel()
	text, failed, err := c.call(calling, t.Name, arguments)
	if err != nil && ctx.Err() == nil {
		if calling.Err() != nil {
			err = context.Cause(calling)
		}
		r.drop(c) // what does not answer is started anew the next time
	}
	return text, failed, err
}

// allowed finds a tool that is allowed at this moment.
func (u *Use) allowed(name string) (Server, Tool, bool) {
	for _, v := range u.s.file.Get().Servers {
		for _, t := range v.Tools {
			if t.Offered == name && name != "" && t.State == ToolOn {
				return v, t, true
			}
		}
	}
	return Server{}, Tool{}, false
}

// ask returns nil when a rule or the person allows a call.
func (u *Use) ask(ctx context.Context, v Server, t Tool, reach scope, arguments json.RawMessage) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	topic := topicCall + v.Name + "/" + t.Name + "/" + v.ID[:8] + t.Hash[:16] + reach.topic
	d, err := u.decided(ctx, id.String(), v, t, reach.hosts, topic, arguments)
	var no *refusal
	switch {
	case errors.As(err, &no):
		return no
	case err != nil:
		return &refusal{http.StatusForbidden, callUnasked}
	case d.Answer != vmhost.AnswerAllow:
		return &refusal{http.StatusForbidden, callDenied}
	}
	return nil
}

func (u *Use) decided(ctx context.Context, id string, v Server, t Tool, hosts []string, topic string, arguments json.RawMessage) (vmhost.Decision, error) {
	shown, ok := shownArguments(arguments)
	params := map[string]any{"server": v.Name, "tool": t.Name, "arguments": shown}
	if at, err := url.Parse(v.URL); err == nil && v.remote() {
		params["address"] = originOf(at)
	} else if len(hosts) > 0 {
		params["hosts"] = strings.Join(hosts, ", ")
	}
	q := vmhost.Question{ID: id, Task: u.task, Kind: vmhost.AskServer, Items: []string{}, Text: vmhost.Text{Code: AskCall, Params: params}}
	if d, said, err := u.gate.Unasked(q, topic); said {
		return d, err
	}
	if !ok {
		return vmhost.Decision{}, &refusal{http.StatusRequestEntityTooLarge, callTooLong}
	}
	return u.gate.AskOne(ctx, q, topic)
}

// plainArguments are arguments as one reader has them, so that what a person is shown is what
// is sent: another reader may take the first of two values of the same name, or have other
// characters in the place of those that are none.
func plainArguments(raw json.RawMessage) (json.RawMessage, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), true
	}
	var v map[string]any
	if !utf8.Valid(raw) || readNumbers(raw, &v) != nil {
		return nil, false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}

// readNumbers reads JSON whose numbers stay as they are written.
func readNumbers(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// shownArguments are arguments as a person sees them: all of them, and every character that
// nobody sees as an escape.
func shownArguments(raw json.RawMessage) (string, bool) {
	var v any
	if readNumbers(raw, &v) != nil {
		return "", false
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil || len(data) > maxShown {
		return "", false
	}
	var b strings.Builder
	for _, r := range string(data) {
		if r == '\n' || r != utf8.RuneError && unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		if r > 0xFFFF {
			fmt.Fprintf(&b, `\U%08x`, r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String(), b.Len() <= maxShown
}

// noteChanged switches a tool off that is not what was allowed.
func (s *Servers) noteChanged(v Server, t Tool) error {
	return s.file.Update(func(d *document) error {
		next := slices.Clone(d.Servers)
		for i := range next {
			if next[i].ID != v.ID {
				continue
			}
			next[i].Tools = slices.Clone(next[i].Tools)
			for j, o := range next[i].Tools {
				if o.Name == t.Name && o.Hash == t.Hash {
					next[i].Tools[j].State = ToolChanged
					next[i].Tools[j].Hash = "" // as it is now nobody has seen it
				}
			}
		}
		d.Servers = next
		return nil
	})
}

// answer writes one.
func answer(w http.ResponseWriter, status int, a agentkit.ServerAnswer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // they would take six times their room
	_ = e.Encode(a)        // the guest may be gone
}
