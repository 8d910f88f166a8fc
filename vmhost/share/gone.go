package share

import (
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"piwork/vmhost/share/drive"
)

// presence is whether the directory of a folder is still where it was: a disk may be pulled
// out, and a network drive may go. A folder that the person renames stays: its calls go on.
type presence struct {
	path string
	was  os.FileInfo // nil: nobody knows
	told atomic.Bool // gone, or silent
}

func newPresence(path string) *presence {
	was, _ := os.Stat(path)
	return &presence{path: path, was: was}
}

// notice looks whether the folder is gone when a call failed as it does then, and tells of it
// once. It returns err.
func (t *Tree) notice(err error) error {
	p, gone := t.presence, t.set.opts.Gone
	if err == nil || gone == nil || p.was == nil || p.told.Load() ||
		!slices.ContainsFunc(lostDisk, func(no syscall.Errno) bool { return errors.Is(err, no) }) {
		return err
	}
	if now, statErr := os.Stat(p.path); (statErr != nil || !os.SameFile(p.was, now)) && p.told.CompareAndSwap(false, true) {
		gone(t.folder)
	}
	return err
}

// watch looks, until nothing is shared any more, whether drives answer that calls wait for, and
// tells of each that does not once: those calls never return, so that nothing else notices.
func (s *Set) watch() {
	tick := time.NewTicker(drive.LookEvery())
	defer tick.Stop()
	for {
		select {
		case <-s.over:
			return
		case <-tick.C:
		}
		trees, _, _ := s.List()
		for _, t := range trees {
			if t.under.Load() > 0 && drive.Waits(t.folder.Path) >= drive.Silence() && t.presence.told.CompareAndSwap(false, true) {
				s.opts.Silent(t.folder)
			}
		}
	}
}
