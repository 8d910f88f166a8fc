package proxy

import (
	"context"
	"fmt"
	"os/exec"
)

// system asks macOS's configuration of the present network (scutil(8)).
func system(ctx context.Context) (Settings, error) {
	out, err := exec.CommandContext(ctx, "/usr/sbin/scutil", "--proxy").Output()
	if err != nil {
		return Settings{}, fmt.Errorf("ask macOS for its proxy: %w", err)
	}
	return parseScutil(string(out)), nil
}
