//go:build vm

package vm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/wire"
)

// These tests boot the pack that PIWORK_RUNTIME_DIR names, with the accelerator
// of PIWORK_ACCEL.

func realAccel() qemu.Accel {
	if a := os.Getenv("PIWORK_ACCEL"); a != "" {
		return qemu.Accel(a)
	}
	return qemu.AccelTCG
}

func realConfig(t testing.TB) Config {
	t.Helper()
	return Config{
		Image: qemutest.PackImage(t), Accel: realAccel(), Dir: filepath.Join(t.TempDir(), "vm"),
		AppVersion: "test", Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
}

// realVM is newVM with the patience of the product, and its logs when the test
// fails.
func realVM(t testing.TB, c Config) *VM {
	t.Helper()
	v := newVM(t, c)
	v.timing = patience(c.BootTime)
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, name := range []string{qemu.QEMULog, qemu.ConsoleLog} {
			if b, err := os.ReadFile(filepath.Join(c.Dir, name)); err == nil {
				t.Logf("%s:\n%s", name, b)
			}
		}
	})
	return v
}

func realConnected(t *testing.T, c Config) *VM {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	v := realVM(t, c)
	began := time.Now()
	if err := v.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %v; the agent's marks %v", time.Since(began), v.Hello().MarksMS)
	return v
}

func TestConformanceForReal(t *testing.T) {
	runtimetest.Run(t, runtimetest.Target{
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := realConfig(t)
			c.Env, c.OnStatus = env, onStatus
			return realVM(t, c)
		},
		Patience: 3 * time.Minute,
	})
}

// What the guest is to a program.
func TestGuestForReal(t *testing.T) {
	t.Setenv("TZ", "Europe/Berlin")
	v := realConnected(t, realConfig(t))
	run := func(script string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		obs, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}})
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		return strings.TrimSpace(string(obs.Exec.Stdout) + string(obs.Exec.Stderr))
	}
	for script, want := range map[string]string{
		"id -u":             "1000",
		"pwd":               wire.WorkDir,
		"hostname":          hostname,
		"echo $LANG":        locale,
		"echo $HOME":        "/home/piwork",
		"ls /sys/class/net": "lo",
	} {
		if got := run(script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	// Between the question and the answer a busy machine takes its time, and the
	// message that set the clock did too: under full load it lagged by 4 s.
	asked := time.Now()
	seconds, err := strconv.ParseInt(run("date +%s"), 10, 64)
	if said := time.Unix(seconds, 0); err != nil || said.Before(asked.Add(-15*time.Second)) || said.After(time.Now().Add(2*time.Second)) {
		t.Errorf("the guest's clock says %v, asked at %v (%v)", said, asked, err)
	}
	// The overlay is this VM's own: it can be written and the image cannot.
	if got := run("echo x > /work/x && cat /work/x"); got != "x" {
		t.Errorf("/work: %q", got)
	}
	t.Log(run("cat /proc/cmdline; df -h /work / | cat; free -m"))
}

// Two VMs of one image share nothing.
func TestTwoForReal(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	a, b := realConnected(t, realConfig(t)), realConnected(t, realConfig(t))
	ids := make(map[string]bool)
	for _, v := range []*VM{a, b} {
		obs, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "ls /work; echo mine > /work/mine; head -c 16 /dev/urandom | od -An -tx1; cat /etc/machine-id"}}})
		if err != nil || obs.Exec.ExitCode != 0 || strings.Contains(string(obs.Exec.Stdout), "mine") {
			t.Fatalf("%+v %v", obs.Exec, err)
		}
		for _, line := range strings.Split(string(obs.Exec.Stdout), "\n") {
			if len(line) >= 32 && ids[line] {
				t.Errorf("twice: %s", line)
			}
			ids[line] = true
		}
	}
}

// The machine goes wrong: each way has its reason, in bounded time.
func TestFaultsForReal(t *testing.T) {
	for _, tt := range []struct {
		name   string
		do     func(*VM) error
		reason vmhost.Reason
	}{
		{"QEMU is killed", func(v *VM) error { return syscall.Kill(v.m.proc.PID(), syscall.SIGKILL) }, vmhost.ReasonExited},
		{"QEMU stands still", func(v *VM) error { return syscall.Kill(v.m.proc.PID(), syscall.SIGSTOP) }, vmhost.ReasonHung},
		{"the port is closed", func(v *VM) error { return v.m.proc.Port(wire.PortRPC).Close() }, vmhost.ReasonClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := realVM(t, realConfig(t))
			v.timing.ping, v.timing.hung = 200*time.Millisecond, 3*time.Second
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			if err := v.Connect(ctx); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sleep", "600"}}})
				ended <- err
			}()
			time.Sleep(500 * time.Millisecond)
			began := time.Now()
			if err := tt.do(v); err != nil {
				t.Fatal(err)
			}
			var e *vmhost.FailedError
			if err := <-ended; !errors.As(err, &e) || e.Reason != tt.reason {
				t.Errorf("Execute: %v", err)
			}
			<-v.ended
			t.Logf("ended after %v: %v", time.Since(began), e)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// The program is killed: one second later its QEMU is gone.
func TestDiesWithTheProgramForReal(t *testing.T) {
	if os.Getenv("PIWORK_TEST_VM_PARENT") != "" {
		v, err := New(realConfig(t))
		if err == nil {
			err = v.Connect(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("pid %d\n", v.m.proc.PID())
		_, err = v.Execute(context.Background(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sleep", "600"}}})
		t.Fatal(err)
	}
	qemutest.PackImage(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	parent := exec.CommandContext(ctx, exe, "-test.run=^TestDiesWithTheProgramForReal$", "-test.v")
	parent.Env = append(os.Environ(), "PIWORK_TEST_VM_PARENT=1", "TMPDIR="+t.TempDir(), "XDG_RUNTIME_DIR="+runDir(t))
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "pid %d", &pid); err != nil {
			t.Log(lines.Text())
		}
	}
	if pid == 0 {
		t.Fatal("the program started no VM")
	}
	time.Sleep(300 * time.Millisecond) // in the middle of its work
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = parent.Wait()
	for {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			t.Logf("QEMU was gone %v after the program", time.Since(killed))
			return
		}
		if time.Since(killed) > time.Second {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("QEMU is still there after a second")
		}
		time.Sleep(time.Millisecond)
	}
}
