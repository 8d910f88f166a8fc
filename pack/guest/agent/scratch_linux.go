package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/execution"
	"piwork/pack/guest/order"
)

// scratchPause is how long the directory of a run stays when nobody needs its room:
// the answer goes out first.
const scratchPause = 20 * time.Millisecond

// scratches are the directories of runs that are over. They are removed after a
// pause, at the latest before the next run has one of its own: its room on the disk
// is then there again.
type scratches struct {
	remove func(dir string) error
	report func(error)

	removing sync.Mutex // held while directories are removed

	mu   sync.Mutex
	over []string
}

// leave has a directory removed soon, and does not wait for anything.
func (s *scratches) leave(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = append(s.over, dir)
	time.AfterFunc(scratchPause, s.clear)
}

// clear removes them, and returns when none is left that was to be removed when it
// was called.
func (s *scratches) clear() {
	s.removing.Lock()
	defer s.removing.Unlock()
	s.mu.Lock()
	over := s.over
	s.over = nil
	s.mu.Unlock()
	for _, dir := range over {
		s.report(s.remove(dir))
	}
}

// removeScratch removes the directory of a run. The run left it empty, but for one that
// was ended: the agent, which may remove everything, does not walk through what programs
// made, and has a process of their user empty it.
func (t *Tools) removeScratch(dir string) error {
	err := unix.Rmdir(dir)
	if errors.Is(err, unix.ENOTEMPTY) {
		if err = t.asUser(order.EmptyArg, dir); err == nil {
			err = unix.Rmdir(dir)
		}
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Base(dir), err)
	}
	return nil
}

// asUser has a process of operations do a small thing, with a path.
func (t *Tools) asUser(what, path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanLimit)
	defer cancel()
	process, err := t.Starter.Start(ctx, t.Group, execution.Program{
		Argv: append(slices.Clone(t.Operate), what, path), Cwd: "/", Env: t.Env(), Limits: execution.Limits{Wall: cleanLimit}, Offline: true, Programs: t.Programs,
	})
	if err != nil {
		return err
	}
	if o, err := process.Wait(ctx); err != nil || o.ExitCode != 0 {
		return fmt.Errorf("exit code %d (%w)", o.ExitCode, err)
	}
	return nil
}
