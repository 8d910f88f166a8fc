package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"piwork/app/chore"
)

// askPasswords asks for the passwords of a chore: on a terminal without showing
// them, else a line of the standard input each. A command line is no place for
// them: every program on the computer can read it.
func askPasswords(ctx context.Context, e *env, c chore.Info, params map[string]any) error {
	for _, p := range c.Params {
		if p.Type != chore.TypePassword {
			continue
		}
		if _, given := params[p.Name]; given {
			return usage("a password is no argument, everybody on this computer can see those; leave --set %s away, and it is asked for or read from the standard input", p.Name)
		}
		typed, err := e.password(ctx, choreWords[c.Name].params[p.Name])
		if err != nil {
			return fmt.Errorf("read the %s: %w", p.Name, err)
		}
		params[p.Name] = typed
	}
	return nil
}

// password reads one password.
func (e *env) password(ctx context.Context, about string) (string, error) {
	return e.secret(ctx, fmt.Sprintf("Password (%s): ", about))
}

// secret reads a line that nobody sees.
func (e *env) secret(ctx context.Context, prompt string) (string, error) {
	if e.IsTerminal(e.Stdin) {
		fmt.Fprint(e.Stderr, prompt)
		defer fmt.Fprintln(e.Stderr)
	}
	if f, ok := e.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return typedPassword(ctx, f)
	}
	return readLine(e.Stdin)
}

// typedPassword reads from a terminal that shows nothing meanwhile. When ctx
// ends, it shows what is typed again.
func typedPassword(ctx context.Context, f *os.File) (string, error) {
	fd := int(f.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type answer struct {
		typed []byte
		err   error
	}
	read := make(chan answer, 1)
	go func() { // a read of a terminal cannot be ended: then the program is about to
		typed, err := term.ReadPassword(fd)
		read <- answer{typed, err}
	}()
	select {
	case a := <-read:
		return string(a.typed), a.err
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), term.Restore(fd, before))
	}
}

// readLine reads a line, and nothing after it; the end of the stream ends it, too.
func readLine(r io.Reader) (string, error) {
	line, err := enteredLine(r)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// enteredLine is readLine that tells, with io.EOF, a line that nobody ended.
func enteredLine(r io.Reader) (string, error) {
	const most = 4096 // bytes
	var line strings.Builder
	for b := make([]byte, 1); line.Len() < most; {
		n, err := r.Read(b)
		if n == 1 && b[0] == '\n' {
			return strings.TrimSuffix(line.String(), "\r"), nil
		}
		if errors.Is(err, io.EOF) && n == 0 {
			return strings.TrimSuffix(line.String(), "\r"), io.EOF
		}
		line.Write(b[:n])
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
	}
	return "", errors.New("the line is too long")
}
