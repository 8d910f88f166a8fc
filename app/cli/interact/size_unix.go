//go:build unix

package interact

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"piwork/vmhost/wire"
)

// watchSize calls do with the size of a terminal, and whenever it is another, until ctx ends.
func watchSize(ctx context.Context, f *os.File, do func(wire.TerminalSize)) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	defer signal.Stop(changed)
	for last := (wire.TerminalSize{}); ; {
		whenChanged(f, &last, do)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// showSequences is for consoles of Windows.
func showSequences(*os.File) (restore func()) { return func() {} }
