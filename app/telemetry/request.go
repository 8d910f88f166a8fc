package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"piwork/app/task"
)

// Origin is the request that something was begun by; it outlives the request.
type Origin struct {
	Request string // its id
	Span    trace.SpanContext
}

// OriginOf is the request of a context.
func OriginOf(ctx context.Context) Origin {
	return Origin{task.RequestID(ctx), trace.SpanContextFromContext(ctx)}
}
