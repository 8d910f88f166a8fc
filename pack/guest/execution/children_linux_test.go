package execution

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Orphans are reaped and no exit code of an own child is lost by it. As in PID
// 1 the process must have no other children, so it is one of its own.
func TestReapOrphans(t *testing.T) {
	if os.Getenv("PIWORK_TEST_REAPER") == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestReapOrphans$", "-test.v")
		cmd.Env = append(os.Environ(), "PIWORK_TEST_REAPER=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skipf("this kernel has no subreaper: %v", err)
	}
	children := &Children{}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- children.ReapOrphans(ctx) }()
	e := NewEngine(Config{
		Starter: &Starter{Launcher: []string{"/proc/self/exe", "launch"}, Children: children, UID: -1, GID: -1},
		Env:     func() []string { return []string{"PATH=/usr/bin:/bin"} }, Cwd: "/",
	})
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			// Every one leaves an orphan that ends by itself.
			r, err := e.Run(t.Context(), sh(fmt.Sprintf("x%d", i), fmt.Sprintf("(setsid sleep 0.05 >/dev/null 2>&1 &); exit %d", i)))
			if err != nil || r.ExitCode != i {
				t.Errorf("%d: %+v, %v", i, r, err)
			}
		})
	}
	group.Wait()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == unix.ECHILD {
			break // no child is left, reaped or not
		}
		if time.Now().After(deadline) {
			t.Fatalf("children are left: %v", err)
		}
		<-time.After(10 * time.Millisecond)
	}
	cancel()
	if err := <-over; err != context.Canceled {
		t.Error(err)
	}
}
