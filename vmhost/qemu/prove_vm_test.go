//go:build vm

package qemu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
)

// The slow mode is proven by a real boot of the pack's kernel.
func TestProveSlowModeForReal(t *testing.T) {
	leavesNothing(t)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	logs := t.TempDir()
	cache := &qemu.ProofCache{Path: filepath.Join(t.TempDir(), "proofs.json")}
	o := qemu.ProveOptions{Image: qemutest.PackImage(t), Accel: qemu.AccelTCG, LogDir: logs, Cache: cache}
	p, err := qemu.Prove(ctx, o)
	if err != nil {
		fail(t, logs, err)
	}
	t.Logf("QEMU %s: first byte after %v, agent after %v", p.QEMU, p.FirstByte, p.Ready)
	// Wine gives its boot another identity every time.
	if again, err := qemu.Prove(ctx, o); err != nil || !again.Cached && runtime.GOOS != "windows" {
		t.Errorf("not remembered on this system: %+v %v", again, err)
	}
}

// What KVM does here is not known beforehand: either it boots, or it is named
// as broken within seconds. In both cases nothing is left.
func TestProveKVMForReal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("KVM is Linux'")
	}
	leavesNothing(t)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	logs := t.TempDir()
	began := time.Now()
	p, err := qemu.Prove(ctx, qemu.ProveOptions{Image: qemutest.PackImage(t), Accel: qemu.AccelKVM, LogDir: logs})
	took := time.Since(began)
	if err == nil {
		t.Logf("KVM works with -cpu %s: first byte after %v (slow mode %v), agent after %v", p.CPU, p.FirstByte, p.Slow, p.Ready)
		return
	}
	var e *qemu.ProofError
	if !errors.As(err, &e) {
		fail(t, logs, err)
	}
	t.Logf("after %v: %v", took, e)
	for _, a := range append(e.Attempts, qemu.Attempt{CPU: e.CPU, Stage: e.Stage, Output: e.Output}) {
		t.Logf("-cpu %s: %s: %s", a.CPU, a.Stage, strings.TrimSpace(a.Output))
	}
	if e.Accel != qemu.AccelKVM {
		t.Errorf("the slow mode failed: %v", err)
	}
	if _, statErr := os.Stat("/dev/kvm"); statErr == nil && e.Stage != qemu.StageFirstByte && e.Stage != qemu.StageStart {
		t.Errorf("stage %s", e.Stage)
	}
	// The deadline, a start and an end for each of three boots.
	if limit := 3*e.Deadline + 20*time.Second; took > limit {
		t.Errorf("it took %v, more than %v", took, limit)
	}
}

// fail ends the test with the logs of the machine.
func fail(t *testing.T, logs string, err error) {
	t.Helper()
	for _, name := range []string{qemu.QEMULog, qemu.ConsoleLog} {
		if b, readErr := os.ReadFile(filepath.Join(logs, name)); readErr == nil {
			t.Logf("%s:\n%s", name, b)
		}
	}
	t.Fatal(err)
}
