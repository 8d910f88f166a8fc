package hostedtest

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("log: %s", p)
	return len(p), nil
}

// Log is a log in that of the test.
func Log(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(testWriter{t}, nil)) }

// Patience is how long one step may take.
var Patience = time.Minute

// Soon is a context for one step.
func Soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// CloseAtEnd has a place be closed when the test ends, and then looks at what is left.
func CloseAtEnd(t testing.TB, r vmhost.Runtime, left func()) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
		left()
	})
}

// Connect connects a place.
func Connect(t testing.TB, r vmhost.Runtime) {
	t.Helper()
	if err := r.Connect(Soon(t)); err != nil {
		if f, is := errors.AsType[*vmhost.FailedError](err); is {
			t.Log(f.Detail)
		}
		t.Fatal(err)
	}
}

// Run runs a script in a place.
func Run(t testing.TB, r vmhost.Runtime, script string) *wire.ExecResult {
	t.Helper()
	obs, err := r.Execute(Soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return obs.Exec
}
