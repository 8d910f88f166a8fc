package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Secret reads a line that nobody sees.
func (t *Terminal) Secret(ctx context.Context, prompt string) (string, error) {
	if t.IsTerminal(t.Stdin) {
		fmt.Fprint(t.Stderr, prompt)
		defer fmt.Fprintln(t.Stderr)
	}
	if f, ok := t.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return typedPassword(ctx, f)
	}
	return Await(ctx, func() (string, error) { return ReadLine(t.Stdin) })
}

// typedPassword reads from a terminal that shows nothing meanwhile. When ctx
// ends, it shows what is typed again.
func typedPassword(ctx context.Context, f *os.File) (string, error) {
	fd := int(f.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	typed, err := Await(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	if ctx.Err() != nil {
		err = errors.Join(err, term.Restore(fd, before))
	}
	return string(typed), err
}

// ReadLine reads a line, and nothing after it; the end of the stream ends it, too.
func ReadLine(r io.Reader) (string, error) {
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

// typed is what a read brought.
type typed struct {
	line string
	err  error
}

// Line waits for a line that is typed, as ReadLine. When ctx ends before, the next question has
// the line that is typed then: the read goes on. A line that came in between is an answer to
// nothing, and is dropped: a late yes must not answer another question.
func (t *Terminal) Line(ctx context.Context) (string, error) {
	line, err := t.typedLine(ctx)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// typedLine is Line that tells, with io.EOF, a line that nobody ended.
func (t *Terminal) typedLine(ctx context.Context) (string, error) {
	select {
	case <-t.reading:
		t.reading = nil
	default:
	}
	if t.reading == nil {
		came := make(chan typed, 1)
		t.reading = came
		go func() {
			line, err := enteredLine(t.Stdin)
			came <- typed{line, err}
		}()
	}
	select {
	case got := <-t.reading:
		t.reading = nil
		return got.line, got.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
