//go:build !windows

package relocate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The program is killed at every step of a move, and of the removal of what a move
// left. At the next start everything is either as it was or moved whole. A child
// (this test binary again) plays the program.

const (
	envKillAt = "PIWORK_TEST_KILL_AT" // the step, 0 for none
	envBase   = "PIWORK_TEST_KILL_BASE"
)

func TestMain(m *testing.M) {
	if base := os.Getenv(envBase); base != "" {
		child(base)
		return
	}
	os.Exit(m.Run())
}

func child(base string) {
	at, _ := strconv.Atoi(os.Getenv(envKillAt))
	n := 0
	o := Options{Copy: own}
	o.step = func(name string) {
		fmt.Println(name)
		if n++; n == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	p, err := Look(context.Background(), request(base))
	if err == nil {
		err = p.Run(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func runChild(t *testing.T, h *home, at int) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envBase+"="+h.base(), fmt.Sprintf("%s=%d", envKillAt, at))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if at == 0 && err != nil || at > 0 && (!ok || status.Signal() != syscall.SIGKILL) {
		t.Fatalf("step %d: %v %s %s", at, err, out, errs.String())
	}
	return strings.Fields(string(out))
}

func TestKilled(t *testing.T) {
	steps := runChild(t, newHome(t), 0)
	if len(steps) < 12 || steps[len(steps)-1] != "moved" {
		t.Fatalf("%v", steps)
	}
	for i, name := range steps {
		t.Run(fmt.Sprint(i+1, " ", name), func(t *testing.T) {
			h := newHome(t)
			before := h.tree(".")
			runChild(t, h, i+1)
			now, err := Read(h.r.Config)
			h.check(err)
			h.check(now.Check())
			if name == "moved" {
				h.settle()
				h.moved()
				return
			}
			if now.Data != "" {
				t.Fatalf("it moved: %+v", now)
			}
			// A copy beside is no reason not to move again at once, too.
			if i%2 == 0 {
				h.settle()
				if got := h.tree("."); got != before {
					t.Fatalf("got\n%s\nwant\n%s", got, before)
				}
			} else if name == "renamed" || name == "arrived" {
				h.settle()
			}
			h.check(h.look().Run(t.Context(), Options{Copy: own}))
			h.settle()
			h.moved()
		})
	}
}

// A removal of the old place that was killed in the middle goes on.
func TestKilledWhileRemoving(t *testing.T) {
	h := newHome(t)
	h.check(h.look().Run(t.Context(), Options{Copy: own}))
	h.check(os.RemoveAll(h.r.Data + "/tasks"))
	h.settle()
	h.moved()
}
