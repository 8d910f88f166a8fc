package telemetry

import (
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"piwork/app/problem"
)

// varParent says of which trace a command is, as OpenTelemetry has it for programs in programs.
const varParent = "TRACEPARENT"

// tracedHeader is in answers to what was traced.
const tracedHeader = "Traceresponse"

// longest is how long a command may have taken.
const longest = 7 * 24 * time.Hour

// Command is the span of a command of the command line. It exports nothing itself: it tells the
// controller, when it is over and something of it was traced.
type Command struct {
	Span   string    `json:"span" maxLength:"64" doc:"traceparent of the requests that it made"`
	Parent string    `json:"parent,omitempty" maxLength:"64" doc:"traceparent of who started it"`
	Begun  time.Time `json:"begun"`
	Failed bool      `json:"failed,omitempty"`

	traced *atomic.Bool
}

type commandKey struct{}

// BeginCommand begins a command: requests with the context that it returns are of its span.
func BeginCommand(ctx context.Context) (context.Context, Command) {
	c := Command{Begun: time.Now(), traced: new(atomic.Bool)}
	own := trace.SpanContextConfig{TraceFlags: trace.FlagsSampled}
	_, _ = rand.Read(own.TraceID[:]) // it never fails
	_, _ = rand.Read(own.SpanID[:])
	if parent := parse(os.Getenv(varParent)); parent.IsValid() {
		c.Parent = os.Getenv(varParent)
		own.TraceID, own.TraceFlags = parent.TraceID(), parent.TraceFlags()
	}
	ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(own))
	h := http.Header{}
	Inject(ctx, h)
	c.Span = h.Get("traceparent")
	return context.WithValue(ctx, commandKey{}, c.traced), c
}

// Traced reports whether something of the command was traced: then its end is told.
func (c Command) Traced() bool { return c.traced != nil && c.traced.Load() }

// Heard looks whether the request of an answer was traced.
func Heard(ctx context.Context, h http.Header) {
	if traced, _ := ctx.Value(commandKey{}).(*atomic.Bool); traced != nil && h.Get(tracedHeader) != "" {
		traced.Store(true)
	}
}

// parse reads a traceparent; what is none is not valid.
func parse(parent string) trace.SpanContext {
	return trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier{"traceparent": parent}))
}

// EndCommand traces a command that is over.
func (t *Telemetry) EndCommand(_ context.Context, c Command) (Command, error) {
	own, now := parse(c.Span), time.Now()
	if !own.IsValid() || c.Begun.After(now) || now.Sub(c.Begun) > longest {
		return c, problem.BadRequest("span", "no span of a command that is over now")
	}
	ctx := context.WithValue(context.Background(), ownIDs{}, own)
	if parent := parse(c.Parent); parent.IsValid() && parent.TraceID() == own.TraceID() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
	}
	_, span := t.begin(ctx, "command", trace.WithTimestamp(c.Begun), trace.WithSpanKind(trace.SpanKindClient))
	if c.Failed {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(now))
	return c, nil
}
