//go:build desktop

package desktop

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// openedWithin is how long a program that opens things may take to fail. It is
// left running after that: it may be the viewer itself.
const openedWithin = 2 * time.Second

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
