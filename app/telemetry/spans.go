package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/felixge/httpsnoop"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"piwork/app/task"
	"piwork/vmhost"
)

// w3c reads and writes traceparent. What comes in a tracestate is not passed on.
var w3c propagation.TraceContext

// Inject has a request of a client say of which trace it is.
func Inject(ctx context.Context, h http.Header) {
	if trace.SpanContextFromContext(ctx).IsValid() {
		w3c.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// begin begins a span where somebody wants it; else it is one that does nothing.
func (t *Telemetry) begin(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	if t != nil {
		if e := t.out.Load(); e != nil {
			return e.tracer.Start(ctx, name, o...)
		}
	}
	return ctx, trace.SpanFromContext(context.Background())
}

// end ends a span, as failed with an error. What the error says stays here.
func end(s trace.Span, err error, kv ...attribute.KeyValue) {
	if s.IsRecording() {
		s.SetAttributes(append(kv, outcome(err))...)
		if err != nil {
			s.SetStatus(codes.Error, "")
		}
	}
	s.End()
}

// request is one to the API, while it is answered.
type request struct {
	operation string
	span      trace.Span
}

type callKey struct{}

// Named says which operation a request asks for: one of the program's own names.
func Named(ctx context.Context, operation string) {
	if r, _ := ctx.Value(callKey{}).(*request); r != nil {
		r.operation = operation
	}
}

// Requests counts the requests to a handler, which has those that are let in go through
// [Telemetry.Admitted].
func (t *Telemetry) Requests(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r, whole := &request{operation: "none"}, false
		m := httpsnoop.Metrics{Code: http.StatusOK}
		began := time.Now()
		defer func() { // also when the handler panics
			if !whole {
				m.Code = http.StatusInternalServerError
			}
			t.answered(q.Context(), r, m.Code, time.Since(began), w.Header().Get("Content-Type"))
		}()
		m.CaptureMetrics(w, func(w http.ResponseWriter) {
			next.ServeHTTP(w, q.WithContext(context.WithValue(q.Context(), callKey{}, r)))
			whole = true
		})
	})
}

func (t *Telemetry) answered(ctx context.Context, r *request, status int, took time.Duration, media string) {
	if why := refusals[status]; why != "" {
		t.refused.Add(ctx, 1, with(keyReason.String(why)))
	}
	if status != http.StatusSwitchingProtocols && !strings.HasPrefix(media, "text/event-stream") {
		t.requests.Record(ctx, took.Seconds(), with(keyOperation.String(r.operation), keyStatus.String(classOf(status))))
	}
	if r.span == nil {
		return
	}
	r.span.SetName(r.operation)
	r.span.SetAttributes(keyOperation.String(r.operation), keyStatus.Int(status))
	if status >= http.StatusInternalServerError {
		r.span.SetStatus(codes.Error, "")
	}
	r.span.End()
}

// untraced are requests that say nothing of work.
var untraced = map[string]bool{"/_health": true, "/metrics": true, "/v1/telemetry/command": true}

// Admitted traces requests of those who were let in: nobody else has something sent.
func (t *Telemetry) Admitted(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r, _ := q.Context().Value(callKey{}).(*request)
		if r == nil || t.out.Load() == nil || untraced[q.URL.Path] {
			next.ServeHTTP(w, q)
			return
		}
		caller := "person"
		if task.ClientOf(q.Context()) != "" {
			caller = "program"
		}
		ctx := w3c.Extract(q.Context(), propagation.HeaderCarrier(q.Header))
		if parent := trace.SpanContextFromContext(ctx); parent.IsValid() {
			ctx = trace.ContextWithRemoteSpanContext(ctx, parent.WithTraceState(trace.TraceState{})) // which could say anything
		}
		ctx, r.span = t.begin(ctx, "request", trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(keyCaller.String(caller), id(keyRequest, task.RequestID(ctx))))
		answer := http.Header{}
		Inject(ctx, answer)
		w.Header().Set(tracedHeader, answer.Get("traceparent"))
		next.ServeHTTP(w, q.WithContext(ctx))
	})
}

// Task begins the span of a task, within the life that it has, for the request that asked for it.
func (t *Telemetry) Task(life context.Context, o Origin, kind task.Kind, name string) context.Context {
	ctx := life
	if o.Span.IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, o.Span)
	}
	ctx, span := t.begin(ctx, "task", trace.WithAttributes(word(keyKind, kind), id(keyTask, name), id(keyRequest, o.Request)))
	if !span.SpanContext().IsValid() {
		return life
	}
	return ctx
}

// TaskEnded ends the span of [Telemetry.Task].
func (t *Telemetry) TaskEnded(ctx context.Context, kind task.Kind, runtime string, state task.State) {
	if t == nil {
		return
	}
	t.tasks.Add(ctx, 1, with(word(keyKind, kind), word(keyOutcome, state)))
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(word(keyRuntime, runtime), word(keyOutcome, state))
	if state == task.StateFailed {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// Queued says that a task waited for room, since a time, in a queue.
func (t *Telemetry) Queued(ctx context.Context, queue string, since time.Time, err error) {
	if t == nil {
		return
	}
	took := time.Since(since)
	t.waits.Record(ctx, took.Seconds(), with(keyQueue.String(queue)))
	if took > time.Millisecond { // there was none
		_, span := t.begin(ctx, "queue", trace.WithTimestamp(since), trace.WithAttributes(keyQueue.String(queue)))
		end(span, err)
	}
}

// Share opens the folders of a task.
func (t *Telemetry) Share(ctx context.Context, open func() error) error {
	_, span := t.begin(ctx, "share")
	err := open()
	end(span, err)
	return err
}

// Connect has a place begin.
func (t *Telemetry) Connect(ctx context.Context, rt vmhost.Runtime) error {
	if t == nil {
		return rt.Connect(ctx)
	}
	caps := rt.Capabilities()
	inner, span := t.begin(ctx, "start", trace.WithAttributes(word(keyRuntime, caps.Name), word(keyIsolation, caps.Isolation)))
	began := time.Now()
	err := rt.Connect(inner)
	way := wayOf(rt)
	t.starts.Record(ctx, time.Since(began).Seconds(), with(word(keyRuntime, caps.Name), keyWay.String(way), outcome(err)))
	if hit := map[string]string{"cold": "miss", "template": "hit", "warm": "hit"}[way]; hit != "" {
		t.pool.Add(ctx, 1, with(keyResult.String(hit)))
	}
	end(span, err, keyWay.String(way))
	return err
}

// Execute has a place do an action of a task. Where nothing else asked for it, it is of the task's span.
func (t *Telemetry) Execute(ctx, live context.Context, rt vmhost.Runtime, a vmhost.Action) (vmhost.Observation, error) {
	if t == nil {
		return rt.Execute(ctx, a)
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = trace.ContextWithSpan(ctx, trace.SpanFromContext(live))
	}
	caps := rt.Capabilities()
	action, operation := actionOf(a)
	inner, span := t.begin(ctx, operation, trace.WithAttributes(word(keyRuntime, caps.Name), word(keyIsolation, caps.Isolation), keyAction.String(action)))
	began := time.Now()
	obs, err := rt.Execute(inner, a)
	took := time.Since(began)
	inside := int64(0)
	switch {
	case obs.Exec != nil:
		inside = obs.Exec.WallMS
	case obs.Tool != nil:
		inside = obs.Tool.WallMS
	}
	t.executions.Record(ctx, took.Seconds(), with(word(keyRuntime, caps.Name), keyAction.String(action), keyOperation.String(operation), outcome(err)))
	end(span, err, keyInside.Int64(min(max(inside, 0), took.Milliseconds())))
	return obs, err
}

// Tokens are those of an answer.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int64 }

// Answer is one of a model, or why there is none. Provider and model are public names, or [Other].
type Answer struct {
	Provider, Model string
	Used            Tokens
	Began           time.Time
	Err             error
	Span            trace.SpanContext // of the task that asked
}

// Answered says how a question to a model ended.
func (t *Telemetry) Answered(a Answer) {
	if t == nil {
		return
	}
	ctx := trace.ContextWithSpanContext(context.Background(), a.Span)
	who := []attribute.KeyValue{keyProvider.String(a.Provider), keyModel.String(a.Model)}
	t.asked.Add(ctx, 1, with(append(who[:2:2], outcome(a.Err))...))
	for kind, n := range map[string]int64{"input": a.Used.Input, "output": a.Used.Output, "cache_read": a.Used.CacheRead, "cache_write": a.Used.CacheWrite} {
		if n > 0 {
			t.tokens.Add(ctx, n, with(append(who[:2:2], keyTokens.String(kind))...))
		}
	}
	_, span := t.begin(ctx, "chat", trace.WithTimestamp(a.Began), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(append(who, keyGenAI.String("chat"))...))
	end(span, a.Err, keyInput.Int64(a.Used.Input), keyOutput.Int64(a.Used.Output))
}

// ServerCall begins a call of a tool of an MCP server of the person, neither of which is named, for a
// task. What is returned ends it.
func (t *Telemetry) ServerCall(of trace.SpanContext) func(error) {
	_, span := t.begin(trace.ContextWithSpanContext(context.Background(), of), "callServer", trace.WithSpanKind(trace.SpanKindClient))
	return func(err error) { end(span, err) }
}

// ids makes the ids of spans; a command brings its own.
type ids struct{}

type ownIDs struct{}

// NewIDs implements trace.IDGenerator.
func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if own, ok := ctx.Value(ownIDs{}).(trace.SpanContext); ok {
		return own.TraceID(), own.SpanID()
	}
	var t trace.TraceID
	binary.BigEndian.PutUint64(t[:8], rand.Uint64()|1)
	binary.BigEndian.PutUint64(t[8:], rand.Uint64())
	return t, g.NewSpanID(ctx, t)
}

// NewSpanID implements trace.IDGenerator.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) (s trace.SpanID) {
	if own, ok := ctx.Value(ownIDs{}).(trace.SpanContext); ok {
		return own.SpanID()
	}
	binary.BigEndian.PutUint64(s[:], rand.Uint64()|1)
	return s
}
