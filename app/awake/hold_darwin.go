package awake

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// System has caffeinate hold it for as long as this process lives.
func System(ctx context.Context, _ string) (func(), error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/usr/bin/caffeinate", "-i", "-w", strconv.Itoa(os.Getpid()))
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("ask to stay awake: %w", err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}, nil
}
