package qemu_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// QEMU dies with the program, however that ends.
func TestDiesWithItsParent(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGABRT} {
		t.Run(sig.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			parent := exec.CommandContext(ctx, exe)
			parent.Env = append(os.Environ(), "PIWORK_TEST_PARENT=boots")
			out, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if !alive(pid) {
				t.Fatal("no machine to begin with")
			}
			if err := parent.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait()
			waitGone(t, pid, time.Second)
		})
	}
}

// waitGone waits for the end of a process that is not our child.
func waitGone(t *testing.T, pid int, within time.Duration) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		// A process that nobody reaps is a zombie: it runs no more.
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Since(began) > within {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d is still there after %v", pid, within)
		}
	}
}
