package gateway

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"piwork/app/gateway/meter"
	"piwork/app/gateway/provider"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/vmhost/traffic"
)

// SessionOptions say what a task may use. The zero value may use all there is.
type SessionOptions struct {
	Task      string     // its id, for the log
	Providers []string   // ids; none allows all
	Models    []string   // "<provider>/<model>"; none allows all
	Hosted    bool       // providers may open addresses and run tools of their own
	Budget    int64      // in millionths of a US dollar; 0 has none
	Used      task.Usage // before

	Span trace.SpanContext // of the task, for telemetry

	// Tools serve what begins with /piwork/: what the host does in the place of the
	// task. nil has none.
	Tools http.Handler

	// What happens, each called by one goroutine at a time. They must not wait, nor
	// call the session's methods.
	OnUsage func(sum task.Usage, one Used)         // after each answer that cost something
	OnError func(*Error)                           // a request was refused, here or by the provider, or failed; at most 30 in a minute
	OnWait  func(provider string, until time.Time) // the provider asked to wait
}

// Used is what one answer used.
type Used struct {
	Provider string
	Model    string
	meter.Tokens
}

// Session is a task's part of a gateway. It may be used from several goroutines.
type Session struct {
	g     *Gateway
	o     SessionOptions
	slot  *semaphore.Weighted
	aside *semaphore.Weighted // is slot for what costs nothing: a question holds its slot while it waits for the budget
	room  *semaphore.Weighted

	traffic traffic.Counter

	mu       sync.Mutex
	used     task.Usage
	budget   int64
	held     int64         // of the budget, by questions that are under way
	settled  chan struct{} // closed when one has ended, for those that wait
	models   []string
	leaving  map[string]leave // models that others took the place of
	silent   bool             // a provider that says what its answers cost did not
	minute   time.Time        // since when inMinute is counted
	inMinute int
	told     sync.Mutex // held while a function of the options is called
}

// maxAside is how many requests that cost nothing are under way at once.
const maxAside = 2

// Session makes a task's part. Nothing has to be closed.
func (g *Gateway) Session(o SessionOptions) *Session {
	return &Session{
		g: g, o: o, used: o.Used, budget: o.Budget, models: o.Models,
		slot: semaphore.NewWeighted(int64(g.c.Parallel)), aside: semaphore.NewWeighted(maxAside), leaving: map[string]leave{},
		room: semaphore.NewWeighted(g.c.MaxRoom), settled: make(chan struct{}),
	}
}

// Usage is the sum so far.
func (s *Session) Usage() task.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Traffic is what went to each provider, and came from it, since it was asked last: bodies,
// without heads.
func (s *Session) Traffic() []traffic.Total { return s.traffic.Take() }

// SetBudget changes the budget, from the next request on.
func (s *Session) SetBudget(micro int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budget = micro
}

// limited reports whether there is a budget.
func (s *Session) limited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.budget > 0
}

// AddModel allows a model beside those that may be used, from the next request on.
func (s *Session) AddModel(model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !allowed(s.models, model) {
		s.models = append(slices.Clone(s.models), model)
	}
}

// DropModel takes AddModel back.
func (s *Session) DropModel(model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.models) > 1 { // none would be all
		s.models = slices.DeleteFunc(slices.Clone(s.models), func(m string) bool { return m == model })
	}
}

// leaveWithin is how long a model may still be asked after another took its place: an attempt
// of a question is told to wait for a minute at most.
const leaveWithin = 2 * time.Minute

// leave is how long a model may be asked that another took the place of.
type leave struct {
	at    time.Time
	until <-chan struct{} // also until it is closed; nil: no longer
}

func (l leave) over(now time.Time) bool {
	if now.Before(l.at) {
		return false
	}
	select {
	case <-l.until:
		return true
	default:
		return l.until == nil
	}
}

// ReplaceModel allows a model in the place of all others. What is asked of them already is asked
// to its end: for leaveWithin (pi asks the new one from its next request on), and until the channel
// is closed (an AI program that changes from its next turn on). nil is no longer.
func (s *Session) ReplaceModel(model string, until <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, old := range s.models {
		s.leaving[old] = leave{s.g.c.now().Add(leaveWithin), until}
	}
	delete(s.leaving, model)
	s.models = []string{model}
}

// Handler serves the task's requests. [Session.Serve] serves it to a machine.
func (s *Session) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// mayUse says whether a model of a provider may be asked.
func (s *Session) mayUse(p provider.Provider, q question) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := p.ID + "/" + q.model
	l, leaves := s.leaving[id]
	leaves = leaves && !l.over(s.g.c.now())
	if !leaves && !allowed(s.models, id) || len(s.models) > 0 && q.others {
		return &Error{Code: CodeModel, Provider: p.ID, Model: q.model}
	}
	return nil
}

// answered tells telemetry how a question ended. The names in it are those that everybody knows.
func (s *Session) answered(f *forward, began time.Time, e *Error) {
	a := telemetry.Answer{Provider: telemetry.Other, Model: telemetry.Other, Began: began, Span: s.o.Span, Used: f.used}
	if e != nil {
		a.Err = e
	}
	if provider.Own(f.p) {
		a.Provider = f.p.ID
	}
	if provider.Public(f.p, f.q.model) {
		a.Model = f.q.model
	}
	s.g.c.Telemetry.Answered(a)
}

// count adds what an answer used.
func (s *Session) count(p provider.Provider, asked string, t meter.Tokens) {
	if !p.Reports {
		t.Dollars = nil // it is not a provider whose word is taken for it
	}
	model := asked
	price, known := s.g.Price(p, asked)
	if t.Model != "" && t.Model != asked {
		// What answered is what costs, if it is known: providers have other names.
		if other, ok := s.g.Price(p, t.Model); ok {
			model, price, known = t.Model, other, true
		}
	}
	s.told.Lock() // in the order of the sums
	defer s.told.Unlock()
	s.mu.Lock()
	s.used = meter.Add(s.used, t, price, known)
	s.silent = s.silent || p.Reports && t.Dollars == nil && !known
	sum := s.used
	s.mu.Unlock()
	if s.o.OnUsage != nil {
		s.o.OnUsage(sum, Used{Provider: p.ID, Model: model, Tokens: t})
	}
}

// maxTold bounds what is told and logged in a minute: a guest can ask for
// nonsense all day.
const maxTold = 30

// tell reports an error.
func (s *Session) tell(e *Error) {
	if !s.mayTell(time.Now()) {
		return
	}
	s.g.log.Info("request of a task was not answered", "task", s.o.Task, "code", string(e.Code), "provider", e.Provider, "status", e.Status)
	if s.o.OnError == nil {
		return
	}
	s.told.Lock()
	defer s.told.Unlock()
	s.o.OnError(e)
}

// mayTell counts what is told.
func (s *Session) mayTell(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.minute) >= time.Minute {
		s.minute, s.inMinute = now, 0
	}
	s.inMinute++
	return s.inMinute <= maxTold
}

func (s *Session) tellWait(id string, until time.Time) {
	if s.o.OnWait == nil {
		return
	}
	s.told.Lock()
	defer s.told.Unlock()
	s.o.OnWait(id, until)
}

// asError makes an error one of this package.
func asError(err error, otherwise *Error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return otherwise
}
