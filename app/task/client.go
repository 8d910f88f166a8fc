package task

import "context"

// clientKey is that of the client in a context.
type clientKey struct{}

// WithClient returns a context for a request of a program that has a token, see package access.
func WithClient(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, clientKey{}, client)
}

// ClientOf is the program of WithClient, "" for the person.
func ClientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}
