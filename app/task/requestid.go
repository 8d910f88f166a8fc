package task

import "context"

// requestKey is that of the id of a request in a context.
type requestKey struct{}

// WithRequestID returns a context for the work of one request. What the task does
// that is begun with it names the id in logs, down to the guest's.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID is the id of WithRequestID, "" for work that no request asked for.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
