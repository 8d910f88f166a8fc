//go:build vm && linux

package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/pack/guest/guestvm"
	"piwork/pack/spec"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/clock"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/wire"
)

// withFolder has a folder with one file served to the guest.
func withFolder(t testing.TB, c *Config) {
	t.Helper()
	s, log := newShared(t), c.Log
	if err := os.WriteFile(filepath.Join(s.add(t, "folder"), "hello.txt"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.config(c)
	c.Log, c.Folders = log, []vmhost.FolderInView{{Path: wire.FoldersDir + "/folder"}}
}

func restoredVM(t *testing.T, f *Factory, change ...func(*Config)) *VM {
	t.Helper()
	return connectedVM(t, f, HowRestored, change...)
}

// connectedVM is a VM with a folder that began as wanted.
func connectedVM(t *testing.T, f *Factory, how string, change ...func(*Config)) *VM {
	t.Helper()
	c := realConfig(t)
	c.MemoryMB = 512
	withFolder(t, &c)
	for _, ch := range change {
		ch(&c)
	}
	v, err := f.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close(context.Background()) })
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	began := time.Now()
	if err := v.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	t.Logf("%s and ready with its folder after %v, of which QEMU ran for %v", v.How(), took, ranFor(t, v.PID()))
	if v.How() != how {
		t.Errorf("it was %s", v.How())
	}
	return v
}

// ranFor is the time that a process's threads were on a processor, which unlike
// the time that passed does not depend on what else runs.
func ranFor(t *testing.T, pid int) time.Duration {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var sum time.Duration
	for _, name := range tasks {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		ns, _, _ := strings.Cut(string(b), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum.Round(time.Millisecond)
}

// shell runs a shell script in a VM.
func shell(t *testing.T, v *VM, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	o, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}})
	if err != nil || o.Exec.ExitCode != 0 {
		t.Fatalf("%s: %+v %v", script, o.Exec, err)
	}
	return strings.TrimSpace(string(o.Exec.Stdout))
}

// The same from a template as from a boot: one suite for both.
func TestRestoreConformsForReal(t *testing.T) {
	tier.Rest(t, "TestDeviceConformsForReal")
	f := realFactory(t)
	runtimetest.Run(t, runtimetest.Target{
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := realConfig(t)
			c.MemoryMB, c.Env, c.OnStatus = 512, env, onStatus
			v := realVM(t, c)
			v.factory = f
			return v
		},
		Patience: stall,
	})
}

// Machines are restored from a template by who made it.
func TestRestoreForReal(t *testing.T) {
	tier.Rest(t, "TestRestoredMachinesAreFresh")
	f := freshFactory(t)
	for range 8 {
		v := restoredVM(t, f)
		if got := shell(t, v, "cat hello.txt"); got != "hello" {
			t.Errorf("the folder: %q", got)
		}
		if err := v.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// unique says what no two machines may share, a line each.
const unique = `
echo "urandom $(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' ')"
echo "random $(head -c 16 /dev/random | od -An -tx1 | tr -d ' ')"
echo "machine-id $(cat /etc/machine-id)"
echo "boot-id $(cat /proc/sys/kernel/random/boot_id)"
echo "uuid $(cat /proc/sys/kernel/random/uuid)"
echo "aslr $(sed -n '/\[stack\]/s/-.*//p' /proc/self/maps)"
echo "mktemp $(mktemp -u)"
node -e '
const { randomUUID, randomBytes, generateKeyPairSync } = require("crypto");
console.log("node-math", Math.random(), Math.random());
console.log("node-uuid", randomUUID());
console.log("node-bytes", randomBytes(16).toString("hex"));
'
node -e 'console.log("node-math-2", Math.random())'
python3 -c '
import random, uuid, os, secrets
print("python-random", random.random())
print("python-hash", hash("piwork"))
print("python-uuid", uuid.uuid4())
print("python-secret", secrets.token_hex(16))
'
`

// Two machines of one template share nothing that is to be a machine's own, and
// have the right time.
func TestRestoredMachinesAreFresh(t *testing.T) {
	t.Setenv("TZ", "Europe/Berlin")
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	f := realFactory(t)
	ids := make(map[string]int)
	for i := range 2 {
		v := restoredVM(t, f)
		asked := time.Now()
		seconds, err := strconv.ParseInt(shell(t, v, "date +%s"), 10, 64)
		if said := time.Unix(seconds, 0); err != nil || said.Before(asked.Add(-15*time.Second)) || said.After(time.Now().Add(2*time.Second)) {
			t.Errorf("the guest's clock says %v, asked at %v (%v)", said, asked, err)
		}
		if got := shell(t, v, "hostname; date +%Z"); got != hostname+"\n"+time.Now().In(berlin).Format("MST") {
			t.Errorf("names: %q", got)
		}
		lines := strings.Split(shell(t, v, unique), "\n")
		if len(lines) != 15 {
			t.Errorf("%d lines: %q", len(lines), lines)
		}
		for _, l := range lines {
			if ids[l]++; ids[l] > 1 {
				t.Errorf("machine %d has this of another: %s", i, l)
			}
		}
		t.Log(strings.Join(lines, "; "))
		if got := shell(t, v, "ls -d /work/mine /tmp/mine 2>/dev/null; touch /work/mine /tmp/mine"); got != "" {
			t.Errorf("there is something of another machine: %q", got)
		}
	}
}

// Add-ons are plugged into a restored machine, and are in the root that
// programs see; a damaged one is found.
func TestRestoreWithAddOnsForReal(t *testing.T) {
	tier.Rest(t, "TestFoldersOfRestoredForReal")
	f := realFactory(t)
	layer := func(name string, files map[string]string) qemu.Layer {
		file := filepath.Join(t.TempDir(), name+",1.img")
		if err := os.WriteFile(file, guestvm.Erofs(files), 0o600); err != nil {
			t.Fatal(err)
		}
		return qemu.Layer{Name: name, File: file, Verity: protected(t, file)}
	}
	addOns := []qemu.Layer{
		layer("media", map[string]string{"usr/local/bin/media": "#!/bin/sh\necho media works\n", "opt/which": "media\n"}),
		layer("music", map[string]string{"opt/music/a": "music\n", "opt/which": "music\n"}),
	}
	v := restoredVM(t, f, func(c *Config) { c.Image.AddOns = addOns })
	if got := shell(t, v, "media; cat /opt/music/a /opt/which; id -un; cat hello.txt"); got != "media works\nmusic\nmusic\npiwork\nhello" {
		t.Errorf("%q", got)
	}
	spoil(t, addOns[1].File, 0)
	c := realConfig(t)
	c.MemoryMB, c.Image.AddOns = 512, addOns
	bad := realVM(t, c)
	bad.factory = f
	wantDamaged(t, bad.Connect(t.Context()), "music")
	if s := f.State(); s.Phase != PhaseReady {
		t.Errorf("the template is blamed for it: %+v", s)
	}
}

// A restored machine that is paused does not run, and has the time afterwards.
func TestPauseForReal(t *testing.T) {
	tier.Rest(t, "TestGatewayForReal")
	v := restoredVM(t, realFactory(t))
	shell(t, v, "(while :; do date +%s%N > /work/now; sleep 0.05; done) >/dev/null 2>&1 & sleep 0.2")
	if err := v.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := ticksOf(t, v.PID())
	time.Sleep(2 * time.Second)
	if used := ticksOf(t, v.PID()) - before; used > 20 { // of 200
		t.Errorf("QEMU used %d ticks while it was paused", used)
	}
	if err := v.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := time.Now()
	seconds, err := strconv.ParseInt(shell(t, v, "date +%s"), 10, 64)
	if said := time.Unix(seconds, 0); err != nil || said.Before(asked.Add(-15*time.Second)) {
		t.Errorf("the guest's clock says %v, asked at %v (%v)", said, asked, err)
	}
}

// ticksOf is the processor time of a process, in hundredths of a second.
func ticksOf(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+2:]))
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return user + system
}

// The clock of this computer jumps: the guest is told.
func TestClockJumpForReal(t *testing.T) {
	f := realFactory(t)
	c := realConfig(t)
	c.MemoryMB = 512
	v := realVM(t, c)
	v.factory = f
	shift := new(atomic.Int64)
	v.timing.host = clock.Real()
	v.timing.host.Wall = func() time.Time { return time.Now().Round(0).Add(time.Duration(shift.Load())) }
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	if err := v.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	shift.Store(int64(1000 * time.Hour))
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		seconds, err := strconv.ParseInt(shell(t, v, "date +%s"), 10, 64)
		if err == nil && time.Unix(seconds, 0).After(time.Now().Add(999*time.Hour)) {
			return
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("the guest says %v %v", time.Unix(seconds, 0), err)
		}
	}
}

// Four machines of one template share its memory, and what a guest frees is
// this computer's again.
func TestMemoryForReal(t *testing.T) {
	tier.Rest(t, "")
	f := realFactory(t)
	var vms []*VM
	for range 4 {
		vms = append(vms, restoredVM(t, f))
	}
	sum := int64(0)
	for _, v := range vms {
		sum += pssOf(t, v.PID())
	}
	c := realConfig(t)
	c.MemoryMB = 512
	withFolder(t, &c)
	cold := pssOf(t, realConnected(t, c).PID())
	t.Logf("four restored machines take %d MiB together, one booted %d", sum>>10, cold>>10)
	if sum >= 4*cold {
		t.Errorf("four restored machines take %d KiB, a booted one %d", sum, cold)
	}
	qemutest.Needs(t, "memory of a restored machine that comes back", func(a spec.Abilities) bool { return a.PrivateMemory })
	v := vms[0]
	shell(t, v, "python3 -c 'b = bytearray(b\"x\")'") // what Python itself takes stays in the guest's cache
	before := guestMemoryOf(t, v.PID())
	shell(t, v, "python3 -c 'b = bytearray(b\"x\" * (150 << 20))'")
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		now := guestMemoryOf(t, v.PID())
		if now < before+110<<10 { // the guest keeps what is in pieces of less than 2 MiB
			t.Logf("%d MiB before, %d after", before>>10, now>>10)
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%d MiB before, %d after 150 were used and freed", before>>10, now>>10)
		}
	}
}

// pssOf is the memory of a process, with its share of what others share, in KiB.
func pssOf(t *testing.T, pid int) int64 {
	t.Helper()
	return memoryOf(t, pid, "Pss", func(string) bool { return true })
}

// guestMemoryOf is what the guest's memory takes here, in KiB: not QEMU's own, which
// grows with every program that it translates.
func guestMemoryOf(t *testing.T, pid int) int64 {
	t.Helper()
	return memoryOf(t, pid, "Rss", func(path string) bool { return strings.HasSuffix(path, "/ram") })
}

func memoryOf(t *testing.T, pid int, name string, wanted func(path string) bool) int64 {
	t.Helper()
	kib, err := qemutest.Memory(pid, name, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

// A VM that was expected is a task's sooner than one that is restored then, and
// as fresh.
func TestExpectForReal(t *testing.T) {
	f := realFactory(t)
	ids := make(map[string]bool)
	for range tier.Pick(1, 1, 3) {
		if err := f.Expect(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("it takes %d MiB", pssOf(t, f.waits().m.proc.PID())>>10)
		v := connectedVM(t, f, HowWaited)
		for _, l := range strings.Split(shell(t, v, unique), "\n") {
			if ids[l] {
				t.Errorf("twice: %s", l)
			}
			ids[l] = true
		}
		if got := shell(t, v, "cat hello.txt"); got != "hello" {
			t.Errorf("the folder: %q", got)
		}
	}
}

// A VM that waited is a task's at once.
func TestWaitingForReal(t *testing.T) {
	tier.Rest(t, "TestExpectForReal")
	f := closedAfter(t, openFactory(t, filepath.Join(t.TempDir(), "templates")))
	f.set(func(s *FactoryState) { s.Mode = ModeWaiting })
	if err := ensure(t, f); err != nil {
		t.Fatal(err)
	}
	used := ticksOf(t, f.waits().m.proc.PID())
	time.Sleep(time.Second)
	if used = ticksOf(t, f.waits().m.proc.PID()) - used; used > 10 {
		t.Errorf("QEMU used %d ticks while it waited", used)
	}
	v := connectedVM(t, f, HowWaited)
	if got := shell(t, v, "cat hello.txt"); got != "hello" {
		t.Errorf("the folder: %q", got)
	}
}
