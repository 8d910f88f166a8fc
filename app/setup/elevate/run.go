package elevate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// ErrDeclined is a person who did not want it. It is no failure.
var ErrDeclined = errors.New("the person said no")

// ErrCannot is a system that cannot ask for an administrator.
var ErrCannot = errors.New("this system cannot ask for an administrator")

const (
	outputMax = 4 << 10 // bytes of what a command said
	waitAfter = 2 * time.Second
)

// Run asks and runs a. It waits for the person for as long as ctx lives; a question
// of the system that is open then is the system's, and is not taken back.
func (s System) Run(ctx context.Context, a Act) error {
	line, can := s.Line(a)
	if !can {
		return ErrCannot
	}
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.WaitDelay = waitAfter
	quiet(cmd)
	out := &head{max: outputMax}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failed := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed):
		return fmt.Errorf("ask for an administrator: %w", err)
	case failed.ExitCode() == s.dismissed():
		return ErrDeclined
	case slices.Contains(a.Fine, failed.ExitCode()):
		return nil
	}
	return fmt.Errorf("%s, as an administrator: %w: %s", a, err, strings.TrimSpace(out.String()))
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), max(0, h.max-h.Len()))])
	return len(p), nil
}
