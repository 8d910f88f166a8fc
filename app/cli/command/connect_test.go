package command

import (
	"context"
	"io"
	"testing"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
)

// A signal ends the program also while it waits for a person, or for another program.
func TestWaitsEndWithASignal(t *testing.T) {
	for name, wait := range map[string]func(ctx context.Context, e *Env) error{
		"a confirmation": func(ctx context.Context, e *Env) error { return e.Consent(ctx, "Delete it?") },
		"a secret":       func(ctx context.Context, e *Env) error { _, err := e.Secret(ctx, "Passphrase: "); return err },
		"a text":         func(ctx context.Context, e *Env) error { _, err := flags.ReadStdin(ctx, e.Stdin); return err },
	} {
		t.Run(name, func(t *testing.T) {
			in, typed := io.Pipe()
			defer typed.Close()
			e := &Env{Terminal: &terminal.Terminal{Stdin: in, Stdout: io.Discard, Stderr: io.Discard, IsTerminal: func(any) bool { return true }}}
			ctx, interrupt := context.WithCancel(t.Context())
			over := make(chan error, 1)
			go func() { over <- wait(ctx, e) }()
			interrupt()
			if code := e.fail("", "", <-over); code != ExitCancelled {
				t.Errorf("exit %d", code)
			}
		})
	}
}
