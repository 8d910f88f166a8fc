package cli

import (
	"context"
	"fmt"

	"piwork/app/chore"
	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
)

// askPasswords asks for the passwords of a chore: on a terminal without showing
// them, else a line of the standard input each. A command line is no place for
// them: every program on the computer can read it.
func askPasswords(ctx context.Context, e *env, c chore.Info, params map[string]any) error {
	wording.Texts().Chore(&c)
	for _, p := range c.Params {
		if p.Type != chore.TypePassword {
			continue
		}
		if _, given := params[p.Name]; given {
			return flags.Usage("a password is no argument, everybody on this computer can see those; leave --set %s away, and it is asked for or read from the standard input", p.Name)
		}
		typed, err := e.password(ctx, p.Words.Label)
		if err != nil {
			return fmt.Errorf("read the %s: %w", p.Name, err)
		}
		params[p.Name] = typed
	}
	return nil
}

// password reads one password.
func (e *env) password(ctx context.Context, about string) (string, error) {
	return e.Secret(ctx, fmt.Sprintf("Password (%s): ", about))
}
