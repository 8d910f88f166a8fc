//go:build unix

package qemu

import (
	"context"
	"time"
)

// Reaper is a reaper for tests of other packages.
type Reaper struct{ *reaper }

// StartReaper has a process watched as on systems that do not end it with its parent.
func StartReaper(pid int) (Reaper, error) {
	r, err := startReaper()
	if err == nil {
		err = r.attach(pid)
	}
	return Reaper{r}, err
}

// Kill kills the reaper and returns when there is another one.
func (r Reaper) Kill(ctx context.Context) error { return r.killReaper(ctx) }

// Leave does what the system does with a reaper when this program is gone.
func (r Reaper) Leave() {
	r.leave()
	<-r.ended
}

func (r *reaper) killReaper(ctx context.Context) error {
	r.mu.Lock()
	killed := r.cmd
	r.mu.Unlock()
	if err := killed.Process.Kill(); err != nil {
		return err
	}
	for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		replaced := r.cmd != killed
		r.mu.Unlock()
		if replaced {
			return nil
		}
	}
	return ctx.Err()
}

// leave closes the descriptors of a program that is gone: nobody starts another reaper.
func (r *reaper) leave() {
	r.mu.Lock()
	r.released = true
	_ = r.in.Close()
	r.mu.Unlock()
}
