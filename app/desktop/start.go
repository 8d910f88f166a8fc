//go:build desktop

package desktop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"piwork/app/executable"
)

// openedWithin is how long a program that opens things may take to fail. It is
// left running after that: it may be the viewer itself.
const openedWithin = 2 * time.Second

// startSelf runs this program once more, for another window. It outlives the request,
// and this window.
func startSelf(ctx context.Context, log *slog.Logger, args ...string) error {
	program, err := executable.Path()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open another window: %w", err)
	}
	go func() {
		err := cmd.Wait()
		log.Debug("window: another one is closed", "reason", err)
	}()
	return nil
}

// isMissing reports whether there is no program that opens things, or it found none for a file.
func isMissing(err error) bool {
	var failed *exec.ExitError
	return errors.Is(err, exec.ErrNotFound) || errors.As(err, &failed)
}

// start runs a program that opens something. It outlives the request, and the
// window.
func start(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil && name != "explorer.exe" {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	case <-time.After(openedWithin):
		return nil
	}
}
