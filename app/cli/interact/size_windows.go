package interact

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/windows"

	"piwork/vmhost/wire"
)

// sizeInterval is how often a console is asked for its size: it tells nobody but who reads
// its events in place of its text.
const sizeInterval = 250 * time.Millisecond

// watchSize calls do with the size of a terminal, and whenever it is another, until ctx ends.
func watchSize(ctx context.Context, f *os.File, do func(wire.TerminalSize)) {
	tick := time.NewTicker(sizeInterval)
	defer tick.Stop()
	for last := (wire.TerminalSize{}); ; {
		whenChanged(f, &last, do)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// showSequences has a console do what control sequences (ECMA-48) say, until restore.
func showSequences(f *os.File) (restore func()) {
	if f == nil {
		return func() {}
	}
	h := windows.Handle(f.Fd())
	var before uint32
	if windows.GetConsoleMode(h, &before) != nil || windows.SetConsoleMode(h, before|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN) != nil {
		return func() {} // an old console shows them as they are
	}
	return func() { _ = windows.SetConsoleMode(h, before) }
}
