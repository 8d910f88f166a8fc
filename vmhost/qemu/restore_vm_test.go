//go:build vm && linux

package qemu_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/digitalocean/go-qemu/qmp"
	"golang.org/x/sys/unix"

	"piwork/pack/spec"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/wire"
)

// machine is one of the pack's, talked to without anything around QEMU.
type machine struct {
	*qemu.Process
	t      *testing.T
	client *jrpc2.Client
}

func talk(t *testing.T, p *qemu.Process) *machine {
	t.Helper()
	conn := p.Port(wire.PortRPC)
	m := &machine{Process: p, t: t, client: jrpc2.NewClient(wire.Channel(conn, conn), nil)}
	t.Cleanup(func() {
		if err := p.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		_ = m.client.Close()
	})
	return m
}

func (m *machine) call(method string, params, result any) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*time.Minute)
	defer cancel()
	if err := m.client.CallResult(ctx, method, params, result); err != nil {
		m.t.Fatalf("%s: %v\n%s\n%s", method, err, m.Output(), m.Console().Tail())
	}
}

func (m *machine) hello() {
	m.t.Helper()
	m.call(wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"}, &wire.Hello{})
}

// prepare makes the guest able to run programs.
func (m *machine) prepare() {
	m.t.Helper()
	m.call(wire.MethodPrepare, wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: make([]byte, wire.MinEntropy), Hostname: "piwork", Locale: "C.UTF-8",
	}, new(json.RawMessage))
}

// run runs a script in the guest.
func (m *machine) run(script string) string {
	m.t.Helper()
	var r wire.ExecResult
	m.call(wire.MethodExecRun, wire.ExecParams{ID: strconv.FormatInt(time.Now().UnixNano(), 36), Argv: []string{"sh", "-c", script}}, &r)
	if r.ExitCode != 0 {
		m.t.Fatalf("%s: %d %s%s", script, r.ExitCode, r.Stdout, r.Stderr)
	}
	return string(r.Stdout)
}

// rollup is a sum over the process's memory, in MiB (proc_pid_smaps(5)).
func (m *machine) rollup(name string) int64 {
	m.t.Helper()
	return m.memory(name, func(string) bool { return true })
}

// guestMemory is what the guest's memory takes here, in MiB: not QEMU's own, which
// grows with every program that it translates.
func (m *machine) guestMemory() int64 {
	m.t.Helper()
	return m.memory("Rss", func(path string) bool { return strings.HasSuffix(path, "/ram") })
}

// memory sums a figure over the mappings of the process that are wanted, in MiB.
func (m *machine) memory(name string, wanted func(path string) bool) int64 {
	m.t.Helper()
	kib, err := qemutest.Memory(m.PID(), name, wanted)
	if err != nil {
		m.t.Fatal(err)
	}
	return kib >> 10
}

// makeTemplate saves a machine that has its root mounted.
func makeTemplate(t *testing.T) *template {
	t.Helper()
	m := &template{t: t, image: qemutest.PackImage(t), dir: t.TempDir()}
	s := m.machineSpec(t)
	s.RAM, s.Overlay = &qemu.RAMFile{Path: m.ram()}, m.overlay()
	if err := qemu.CreateOverlay(s.Overlay, s.Image.WorkBase); err != nil {
		t.Fatal(err)
	}
	p, err := qemu.Start(t.Context(), qemu.StartOptions{Spec: s})
	if err != nil {
		t.Fatal(err)
	}
	from := talk(t, p)
	from.hello()
	m.cold = time.Since(p.Started())
	from.prepare()
	from.run("true")
	m.coldPSS = from.rollup("Pss")
	began := time.Now()
	if err := p.Save(t.Context(), m.state()); err != nil {
		t.Fatal(err)
	}
	t.Logf("cold: first reply after %v, %d MiB; saved in %v", m.cold.Round(time.Millisecond), m.coldPSS, time.Since(began).Round(time.Millisecond))
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	return m
}

// restore starts a machine from the template and returns when it has answered,
// with how long that took from QEMU's start on.
func (m *template) restore(t *testing.T) (*machine, time.Duration) {
	t.Helper()
	p, err := qemu.Start(t.Context(), qemu.StartOptions{Spec: m.restored(t)})
	if err != nil {
		t.Fatal(err)
	}
	up := time.Since(p.Started())
	r := talk(t, p)
	if err := p.Restore(t.Context(), m.state()); err != nil {
		t.Fatal(err)
	}
	runs := time.Since(p.Started())
	r.hello()
	took := time.Since(p.Started())
	t.Logf("QEMU up after %v, runs after %v, first reply after %v", up.Round(time.Millisecond), runs.Round(time.Millisecond), took.Round(time.Millisecond))
	return r, took
}

// sum identifies the content of the template's files.
func (m *template) sum() string {
	m.t.Helper()
	h := sha256.New()
	for _, path := range []string{m.ram(), m.state(), m.overlay()} {
		f, err := os.Open(path)
		if err == nil {
			_, err = io.Copy(h, f)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestRestoreForReal restores the pack's machine with nothing around QEMU, in
// every way that tasks do. What vmhost/vm shows of whole machines, too, is the rest.
func TestRestoreForReal(t *testing.T) {
	m := makeTemplate(t)
	before := m.sum()
	t.Run("there at once", m.atOnce)
	t.Run("add-ons are plugged", m.plugged)
	t.Run("confined", m.confined)
	t.Run("refused", m.refused)
	t.Run("the reaper is killed", m.reaped)
	if tier.All {
		t.Run("four at the same time", m.four)
		t.Run("memory comes back", func(t *testing.T) {
			qemutest.Needs(t, "memory of a restored machine that comes back", func(a spec.Abilities) bool { return a.PrivateMemory })
			m.memoryComesBack(t)
		})
		t.Run("paused", m.paused)
		t.Run("memory of its own", m.sharedMemory)
		t.Run("the overlay", m.overlayGrows)
		t.Run("a greedy guest", m.greedyGuest)
	}
	if m.sum() != before {
		t.Error("the template has changed")
	}
}

func (m *template) atOnce(t *testing.T) {
	var took []time.Duration
	for range tier.Pick(1, 1, 5) {
		r, d := m.restore(t)
		took = append(took, d)
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(took)
	t.Logf("median %v; a cold start took %v", took[len(took)/2].Round(time.Millisecond), m.cold.Round(time.Millisecond))
}

// A machine lives on when the reaper that watches it is killed, and ends all the same when
// the program does. The next machine works.
func (m *template) reaped(t *testing.T) {
	r, _ := m.restore(t)
	reaper, err := qemu.StartReaper(r.PID())
	if err == nil {
		err = reaper.Kill(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(r.run("echo alive")); got != "alive" {
		t.Errorf("after the reaper: %q", got)
	}
	reaper.Leave()
	select {
	case <-r.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("it lives on")
	}
	if r.Exit() == nil {
		t.Error("its end is not said")
	}
	next, _ := m.restore(t)
	if got := strings.TrimSpace(next.run("echo alive")); got != "alive" {
		t.Errorf("the next: %q", got)
	}
}

// Four machines share what none of them changed, and nothing else.
func (m *template) four(t *testing.T) {
	all := make([]*machine, 4)
	for i := range all {
		all[i], _ = m.restore(t)
	}
	for i, r := range all {
		r.run(fmt.Sprintf("echo %d >/work/mine; sync", i))
	}
	var sum int64
	for i, r := range all {
		if got := strings.TrimSpace(r.run("cat /work/mine")); got != strconv.Itoa(i) {
			t.Errorf("machine %d has %q", i, got)
		}
		sum += r.rollup("Pss")
	}
	t.Logf("four use %d MiB, the one that was saved %d MiB", sum, m.coldPSS)
	if sum > 2*m.coldPSS {
		t.Errorf("four machines use %d MiB, more than two of %d", sum, m.coldPSS)
	}
}

// What the guest has freed is this computer's again, of memory that is a
// private copy, and is not taken from the template.
func (m *template) memoryComesBack(t *testing.T) {
	qemutest.Needs(t, "memory of a restored machine that comes back", func(a spec.Abilities) bool { return a.PrivateMemory })
	r, _ := m.restore(t)
	idle := r.guestMemory()
	r.run("dd if=/dev/urandom of=/dev/shm/x bs=1M count=200 2>/dev/null || dd if=/dev/zero of=/tmp/x bs=1M count=200 2>/dev/null; ls -l /dev/shm /tmp; df /dev/shm /tmp")
	full := r.guestMemory()
	r.run("rm -f /dev/shm/x /tmp/x")
	t.Logf("idle %d MiB, then %d MiB", idle, full)
	if full < idle+150 {
		t.Fatalf("200 MiB of the guest's are %d MiB here", full-idle)
	}
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		now := r.guestMemory()
		if now < idle+(full-idle)/4 {
			t.Logf("%d MiB after %v", now, time.Since(began).Round(time.Millisecond))
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("still %d MiB\n%s", now, r.Output())
		}
	}
	if out := r.Output(); strings.Contains(out, "iscard") {
		t.Errorf("QEMU complains: %s", out)
	}
	r.run("true")
}

func (m *template) plugged(t *testing.T) {
	image := filepath.Join(t.TempDir(), "an, add-on.img")
	if err := os.WriteFile(image, bytes.Repeat([]byte("add-on "), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ := m.restore(t)
	for i, disk := range []string{0: "vdc", 7: "vdd", qemu.MaxLayers - 1: "vde"} {
		if disk == "" {
			continue
		}
		began := time.Now()
		if err := r.PlugLayer(t.Context(), i, qemu.Layer{Name: "x", File: image}); err != nil {
			t.Fatal(err)
		}
		plugged := time.Since(began)
		for !strings.Contains(r.Console().Tail(), "["+disk+"]") { // the kernel says that it has a new disk
			if time.Since(began) > time.Minute {
				t.Fatalf("no %s\n%s", disk, r.Console().Tail())
			}
			time.Sleep(time.Millisecond)
		}
		t.Logf("add-on %d plugged in %v, seen after %v", i, plugged.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	}
	if err := r.PlugLayer(t.Context(), 0, qemu.Layer{Name: "x", File: image}); err == nil {
		t.Error("two add-ons in one place")
	}
	if err := r.PlugLayer(t.Context(), 1, qemu.Layer{Name: "x", File: image + "?"}); err == nil {
		t.Error("an add-on without an image")
	}
}

func (m *template) paused(t *testing.T) {
	r, _ := m.restore(t)
	if err := r.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		answered <- r.client.CallResult(ctx, wire.MethodEcho, wire.EchoParams{Data: "x"}, new(json.RawMessage))
	}()
	select {
	case err := <-answered:
		t.Errorf("a paused machine answers: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	if err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// The running process is what its command line promises: filtered, unable to
// become anything else, and with nothing open that a network leads to.
func (m *template) confined(t *testing.T) {
	r, _ := m.restore(t)
	proc := fmt.Sprintf("/proc/%d", r.PID())
	threads, err := filepath.Glob(proc + "/task/*/status")
	if err != nil || len(threads) < 2 {
		t.Fatalf("%v %v", threads, err)
	}
	for _, thread := range threads {
		b, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		for _, want := range []string{"Seccomp:\t2\n", "NoNewPrivs:\t1\n"} {
			if !strings.Contains(string(b), want) {
				t.Errorf("%s: no %q", thread, want)
			}
		}
	}
	network := ""
	for _, name := range []string{"tcp", "tcp6", "udp", "udp6", "raw", "packet"} {
		b, err := os.ReadFile(proc + "/net/" + name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		network += string(b)
	}
	files, err := filepath.Glob(proc + "/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		to, err := os.Readlink(f)
		if inode, ok := strings.CutPrefix(to, "socket:["); err == nil && ok && strings.Contains(network, " "+strings.TrimSuffix(inode, "]")+" ") {
			t.Errorf("%s is %s: a socket of a network", f, to)
		}
		if to == "/dev/kvm" || strings.HasPrefix(to, "/dev/net") {
			t.Errorf("%s is %s", f, to)
		}
	}
	children, err := os.ReadFile(fmt.Sprintf("%s/task/%d/children", proc, r.PID()))
	if err != nil || len(children) != 0 {
		t.Errorf("children %q %v", children, err)
	}
}

// A machine whose memory others are to see has a copy of the file.
func (m *template) sharedMemory(t *testing.T) {
	s := m.restored(t)
	s.RAM = &qemu.RAMFile{Path: filepath.Join(t.TempDir(), "ram")}
	if out, err := exec.CommandContext(t.Context(), "cp", "--sparse=always", m.ram(), s.RAM.Path).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p, err := qemu.Start(t.Context(), qemu.StartOptions{Spec: s})
	if err != nil {
		t.Fatal(err)
	}
	r := talk(t, p)
	if err := p.Restore(t.Context(), m.state()); err != nil {
		t.Fatal(err)
	}
	r.hello()
	r.run("true")
}

// What is wrong with a template is said, by us or by QEMU, and soon.
func (m *template) refused(t *testing.T) {
	state := func(change func([]byte) []byte) string {
		b, err := os.ReadFile(m.state())
		path := filepath.Join(t.TempDir(), "state")
		if err == nil {
			err = os.WriteFile(path, change(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name   string
		change func(*qemu.Spec)
		state  func([]byte) []byte
		sealed bool // as if it had been saved so: QEMU has to notice
		want   error
	}{
		{name: "processor", change: func(s *qemu.Spec) { s.CPU = "qemu64" }, want: qemu.ErrOtherMachine},
		{name: "memory", change: func(s *qemu.Spec) { s.MemoryMB = 256 }, want: qemu.ErrBadState},
		{name: "cut off", state: func(b []byte) []byte { return b[:len(b)/2] }, want: qemu.ErrBadState},
		{name: "nothing", state: func([]byte) []byte { return nil }, want: qemu.ErrBadState},
		{name: "cut off and sealed", state: func(b []byte) []byte { return b[:len(b)/2] }, sealed: true},
		{name: "noise and sealed", state: func(b []byte) []byte {
			for i := len(b) / 2; i < len(b); i++ {
				b[i] ^= byte(i)
			}
			return b
		}, sealed: true},
		{name: "a port more and sealed", change: func(s *qemu.Spec) {
			s.Ports = append(s.Ports, qemu.Port{Name: "more", Socket: filepath.Join(filepath.Dir(s.Console), "more.sock")})
		}, sealed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.sealed && tt.name != "noise and sealed" {
				tier.Rest(t, "noise that is sealed")
			}
			s := m.restored(t)
			if tt.change != nil {
				tt.change(&s)
			}
			if tt.state == nil {
				tt.state = func(b []byte) []byte { return b }
			}
			from := state(tt.state)
			if tt.sealed {
				if err := qemu.SealState(from, s); err != nil {
					t.Fatal(err)
				}
			}
			p, err := qemu.Start(t.Context(), qemu.StartOptions{Spec: s})
			if err == nil {
				err = p.Restore(t.Context(), from)
				if stopErr := p.Stop(t.Context()); stopErr != nil {
					t.Error(stopErr)
				}
			}
			if _, is := errors.AsType[*qemu.ExitError](err); err == nil || tt.want != nil && !errors.Is(err, tt.want) || tt.sealed && !is {
				t.Errorf("%v, want %v", err, tt.want)
			}
			t.Log(err)
		})
	}
}

// The overlay grows with what the guest writes, which is watched, and shrinks
// with what it deletes.
func (m *template) overlayGrows(t *testing.T) {
	s := m.restored(t)
	asked := make(chan struct{}, 100)
	p, err := qemu.Start(t.Context(), qemu.WithFreeSpace(qemu.StartOptions{Spec: s}, func() (uint64, error) {
		asked <- struct{}{}
		return 1 << 40, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	r := talk(t, p)
	if err := p.Restore(t.Context(), m.state()); err != nil {
		t.Fatal(err)
	}
	r.hello()
	taken := func() int64 {
		var st unix.Stat_t
		if err := unix.Stat(s.Overlay, &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512 >> 20
	}
	small := taken()
	r.run("dd if=/dev/urandom of=/work/x bs=1M count=300 conv=fsync 2>/dev/null")
	large := taken()
	select {
	case <-asked:
	case <-time.After(time.Minute):
		t.Error("nobody looks whether there is space for it")
	}
	r.run("rm /work/x; sync")
	t.Logf("%d MiB, then %d MiB; mounted: %s", small, large, r.run("grep /work /proc/mounts"))
	for began := time.Now(); taken() > small+100; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("still %d MiB", taken())
		}
	}
	t.Logf("%d MiB after it was deleted", taken())
}

// A guest that writes as much as it can is stopped before this computer's disk
// is full.
func (m *template) greedyGuest(t *testing.T) {
	s := m.restored(t)
	events := make(chan qmp.Event, 100)
	p, err := qemu.Start(t.Context(), qemu.WithFreeSpace(qemu.StartOptions{Spec: s, OnEvent: func(e qmp.Event) {
		if e.Event == "BLOCK_IO_ERROR" {
			events <- e
		}
	}}, func() (uint64, error) { return 900 << 20, nil }))
	if err != nil {
		t.Fatal(err)
	}
	r := talk(t, p)
	if err := p.Restore(t.Context(), m.state()); err != nil {
		t.Fatal(err)
	}
	r.hello()
	go func() {
		_ = r.client.CallResult(t.Context(), wire.MethodExecRun, wire.ExecParams{ID: "greedy", Argv: []string{"sh", "-c", "cat /dev/urandom >/work/x"}}, new(json.RawMessage))
	}()
	select {
	case e := <-events:
		t.Log(e.Data)
	case <-time.After(2 * time.Minute):
		t.Fatal("nobody stopped it")
	}
	var status struct{ Status string }
	if err := p.Monitor().Do(t.Context(), qmp.Command{Execute: "query-status"}, &status); err != nil || status.Status != "paused" {
		t.Errorf("%+v %v", status, err)
	}
	fi, err := os.Stat(s.Overlay)
	if err != nil || fi.Size() > 600<<20 {
		t.Errorf("%v %v", fi, err)
	}
	t.Logf("stopped at %d MiB", fi.Size()>>20)
}
