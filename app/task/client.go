package task

import (
	"context"
	"strings"

	"piwork/app/problem"
	"piwork/vmhost"
)

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

// clientIsolation is how well a task is kept apart that a client starts or steers: one that is
// kept apart less could ask as the person.
const clientIsolation = vmhost.IsolationNamespace

// RequireApart is what a task needs of its place that was asked for with r: that of a client is
// kept apart.
func RequireApart(ctx context.Context, r *vmhost.Requirement) *vmhost.Requirement {
	if ClientOf(ctx) == "" {
		return r
	}
	need := vmhost.Requirement{}
	if r != nil {
		need = *r
	}
	need.Add(string(clientIsolation))
	return &need
}

// MaySteer returns an error where a client asks, and what it asks about is not kept apart. An
// isolation of "" is unknown, and so too weak.
func MaySteer(ctx context.Context, in vmhost.Isolation) error {
	if !in.Weaker(clientIsolation) {
		return nil
	}
	return RequirePerson(ctx)
}

// RequirePerson returns an error where a client asks: what it asks for is the person's alone.
func RequirePerson(ctx context.Context) error {
	client := ClientOf(ctx)
	if client == "" {
		return nil
	}
	name, _, _ := strings.Cut(client, "@")
	return problem.New(problem.CodeTokenScope).By("person").With("client", name)
}
