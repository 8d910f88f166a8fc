//go:build vm && linux

package qemu_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/wire"
)

// template is a saved machine of the real pack.
type template struct {
	t     *testing.T
	image qemu.Image
	dir   string
	cold  time.Duration // from the start of the machine that was saved to its first reply
}

// machine is one of the pack's, talked to without anything around QEMU.
type machine struct {
	*qemu.Process
	t      *testing.T
	client *jrpc2.Client
}

const templateMB = 512

func (m *template) ram() string     { return filepath.Join(m.dir, "ram") }
func (m *template) state() string   { return filepath.Join(m.dir, "state") }
func (m *template) overlay() string { return filepath.Join(m.dir, "overlay.qcow2") }

// spec is a machine in a directory of its own.
func (m *template) spec() qemu.Spec {
	m.t.Helper()
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = remove() })
	return qemu.Spec{
		Host: "linux", Image: m.image, Accel: qemu.AccelTCG, MemoryMB: templateMB, Console: filepath.Join(dir, "console.sock"),
		Ports: []qemu.Port{{Name: wire.PortRPC, Socket: filepath.Join(dir, "rpc.sock")}},
	}
}

// restored is a Spec of a machine that is restored, with an overlay of its own.
func (m *template) restored() qemu.Spec {
	m.t.Helper()
	s := m.spec()
	s.RAM, s.Incoming = &qemu.RAMFile{Path: m.ram(), Private: true}, true
	s.Overlay = filepath.Join(m.t.TempDir(), "overlay.qcow2")
	if err := qemu.CloneOverlay(s.Overlay, m.overlay()); err != nil {
		m.t.Fatal(err)
	}
	return s
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

// pss is how much memory the process counts for, in MiB: what it shares with
// others counts in part.
func (m *machine) pss() int64 { m.t.Helper(); return m.rollup("Pss") }

func (m *machine) rollup(name string) int64 {
	m.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", m.PID()))
	if err != nil {
		m.t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
			if err != nil {
				m.t.Fatal(err)
			}
			return n >> 10
		}
	}
	m.t.Fatalf("no %s", name)
	return 0
}

// makeTemplate saves a machine that has answered and, when warm says so, has
// its root mounted.
func makeTemplate(t *testing.T) *template {
	t.Helper()
	m := &template{t: t, image: qemutest.PackImage(t), dir: t.TempDir()}
	s := m.spec()
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
	began := time.Now()
	if err := p.Save(t.Context(), m.state()); err != nil {
		t.Fatal(err)
	}
	t.Logf("cold: first reply after %v, %d MiB; saved in %v", m.cold.Round(time.Millisecond), from.pss(), time.Since(began).Round(time.Millisecond))
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	return m
}

// restore starts a machine from the template and returns when it has answered,
// with how long that took from QEMU's start on.
func (m *template) restore() (*machine, time.Duration) {
	m.t.Helper()
	p, err := qemu.Start(m.t.Context(), qemu.StartOptions{Spec: m.restored()})
	if err != nil {
		m.t.Fatal(err)
	}
	up := time.Since(p.Started())
	r := talk(m.t, p)
	if err := p.Restore(m.t.Context(), m.state()); err != nil {
		m.t.Fatal(err)
	}
	runs := time.Since(p.Started())
	r.hello()
	took := time.Since(p.Started())
	m.t.Logf("cpu %s ms; restored: QEMU up after %v, runs after %v, first reply after %v", r.cpu(), up.Round(time.Millisecond), runs.Round(time.Millisecond), took.Round(time.Millisecond))
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

func (m *machine) cpu() string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.PID()))
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+2:]))
	u, _ := strconv.Atoi(f[11])
	y, _ := strconv.Atoi(f[12])
	return fmt.Sprintf("%d+%d", u*10, y*10)
}

func TestRestoreForReal(t *testing.T) {
	m := makeTemplate(t)
	before := m.sum()
	var took []time.Duration
	for range 12 {
		r, d := m.restore()
		took = append(took, d)
		t.Logf("%d MiB", r.pss())
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(took)
	t.Logf("median %v, a cold start took %v", took[len(took)/2], m.cold)
	if m.sum() != before {
		t.Error("the template has changed")
	}
}
