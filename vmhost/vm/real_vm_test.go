//go:build vm && linux

package vm

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/wire"
)

// These tests boot the pack that PIWORK_RUNTIME_DIR names, with the accelerator
// of PIWORK_ACCEL.

// stall is how long a step may take before a test gives up: far more than the slow mode
// needs on a machine that has much else to do.
const stall = 20 * time.Minute

func realAccel() qemu.Accel {
	if a := os.Getenv("PIWORK_ACCEL"); a != "" {
		return qemu.Accel(a)
	}
	return qemu.AccelTCG
}

func realConfig(t testing.TB) Config {
	t.Helper()
	return Config{
		Hardware: Hardware{
			Image: qemutest.PackImage(t), Accel: realAccel(), AppVersion: "test",
			BootTime: 15 * time.Second, // what a busy machine took, so that others beside do not matter
		},
		Dir: filepath.Join(t.TempDir(), "vm"), Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
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
	ctx, cancel := context.WithTimeout(context.Background(), stall)
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
	tier.Rest(t, "TestDeviceConformsForReal")
	runtimetest.Run(t, runtimetest.Target{
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := realConfig(t)
			c.Env, c.OnStatus = env, onStatus
			return realVM(t, c)
		},
		Patience: stall,
	})
}

// What the guest is to a program.
func TestGuestForReal(t *testing.T) {
	tier.Rest(t, "TestGuest of pack/guest/guestvm")
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

// Two VMs of one image share nothing, one that was booted and one that was restored.
func TestTwoForReal(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), stall)
	defer cancel()
	c := realConfig(t)
	c.MemoryMB = 512
	a, b := realConnected(t, c), restoredVM(t, realFactory(t))
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
