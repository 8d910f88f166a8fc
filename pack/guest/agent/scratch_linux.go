package agent

import (
	"os"
	"sync"
	"time"
)

// scratchPause is how long the directory of a run stays when nobody needs its room:
// the answer goes out first.
const scratchPause = 20 * time.Millisecond

// scratches are the directories of runs that are over. They are removed after a
// pause, at the latest before the next run has one of its own: its room on the disk
// is then there again.
type scratches struct {
	removing sync.Mutex // held while directories are removed

	mu   sync.Mutex
	over []string
}

// leave has a directory removed soon, and does not wait for anything.
func (s *scratches) leave(dir string, report func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = append(s.over, dir)
	time.AfterFunc(scratchPause, func() { s.clear(report) })
}

// clear removes them, and returns when none is left that was to be removed when it
// was called.
func (s *scratches) clear(report func(error)) {
	s.removing.Lock()
	defer s.removing.Unlock()
	s.mu.Lock()
	over := s.over
	s.over = nil
	s.mu.Unlock()
	for _, dir := range over {
		report(os.RemoveAll(dir))
	}
}
