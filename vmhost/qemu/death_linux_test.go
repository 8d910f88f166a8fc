package qemu_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost/qemu"
)

// QEMU dies with the program, however that ends.
func TestDiesWithItsParent(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGABRT} {
		t.Run(sig.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
			waitGone(t, pid, 20*time.Second) // milliseconds, where nothing else is at work
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

// Before anything of the person's, QEMU ends when memory is short, and it leaves
// nothing of the guest's memory in a file.
func TestLimits(t *testing.T) {
	ctx := soon(t)
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: machineSpec(t, "boots")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(ctx)
	proc := "/proc/" + strconv.Itoa(p.PID())
	b, err := os.ReadFile(proc + "/oom_score_adj")
	if score, _ := strconv.Atoi(strings.TrimSpace(string(b))); err != nil || score < 500 {
		t.Errorf("oom_score_adj: %q %v", b, err)
	}
	b, err = os.ReadFile(proc + "/limits")
	if err != nil || !regexp.MustCompile(`Max core file size +0 +0 `).Match(b) {
		t.Errorf("%s %v", b, err)
	}
	if cwd, err := os.Readlink(proc + "/cwd"); err != nil || cwd != "/" {
		t.Errorf("works in %s %v", cwd, err)
	}
}
