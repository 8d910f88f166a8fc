//go:build unix

package qemu

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// The reaper is what macOS has instead of a parent-death signal; it needs
// nothing of macOS.
func TestReaper(t *testing.T) {
	start := func(t *testing.T) (context.Context, *reaper, *exec.Cmd, <-chan error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		t.Cleanup(cancel)
		r, err := startReaper()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(ctx, "/bin/sleep", "600")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := r.attach(c.Process.Pid); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		return ctx, r, c, ended
	}

	t.Run("the program goes away", func(t *testing.T) {
		ctx, r, _, ended := start(t)
		r.leave()
		select {
		case <-ended:
		case <-ctx.Done():
			t.Error("the process lives on")
		}
		r.release()
	})
	t.Run("the reaper is killed, then the program goes away", func(t *testing.T) {
		ctx, r, _, ended := start(t)
		for range 2 {
			if err := r.killReaper(ctx); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-ended:
			t.Fatal("the process went with its reaper")
		default:
		}
		r.leave()
		select {
		case <-ended:
		case <-ctx.Done():
			t.Error("the process lives on")
		}
		<-r.ended
	})
	t.Run("the process ends first", func(t *testing.T) {
		ctx, r, c, ended := start(t)
		_ = c.Process.Kill()
		<-ended
		other := exec.CommandContext(ctx, "/bin/sleep", "600") // whatever has that id by now
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		r.release()
		if !r.cmd.ProcessState.Success() {
			t.Errorf("reaper: %v", r.cmd.ProcessState)
		}
		_ = other.Process.Kill()
		_ = other.Wait()
	})
	t.Run("the process never started", func(t *testing.T) {
		r, err := startReaper()
		if err != nil {
			t.Fatal(err)
		}
		r.release()
		if !r.cmd.ProcessState.Success() {
			t.Errorf("reaper: %v", r.cmd.ProcessState)
		}
	})
}
