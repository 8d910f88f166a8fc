//go:build unix

package vm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/wire"
)

// quick is the patience of the tests, with guests that do what it runs out for, and what a
// guest has to be slower than.
var quick = timing{
	beat: 10 * time.Millisecond, stall: 800 * time.Millisecond, restore: 2 * time.Second, hung: time.Second, ping: 50 * time.Millisecond, write: 2 * time.Second,
	cancel: 2 * time.Second, shutdown: time.Second, again: 10 * time.Millisecond, evidence: 300 * time.Millisecond,
}

// timingFor is quick where an image's guest is one that is not waited for; a busy computer
// may be slow with all others. Tests in which one that is ready is not waited for say so.
func timingFor(img qemu.Image) timing {
	t := quick
	t.hung, t.write = 20*time.Second, 20*time.Second
	if !regexp.MustCompile(`hang|silent|dead|slow`).MatchString(img.ID) {
		t.stall, t.restore = 20*time.Second, 20*time.Second
	}
	if !strings.Contains(img.ID, "closes") { // nothing else is said then
		t.evidence = 20 * time.Second
	}
	return t
}

// fakeConfig is a VM whose guest is one of TestMain's.
func fakeConfig(t testing.TB, guest string) Config {
	t.Helper()
	img, err := qemutest.Image(guest)
	if err != nil {
		t.Fatal(err)
	}
	img.WorkBase = workBase(t)
	return Config{
		Hardware: Hardware{Image: img, Accel: qemu.AccelTCG, AppVersion: "test", PackVersion: "1.2.3"},
		Dir:      filepath.Join(t.TempDir(), "vm"), RunDir: runDir(t), Env: vmhost.ExecutionEnv{Cwd: "/"},
		Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("log: %s", bytes.TrimSpace(p))
	return len(p), nil
}

func workBase(t testing.TB) string {
	t.Helper()
	base, err := os.ReadFile("testdata/work.qcow2")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "work.qcow2")
	if err := os.WriteFile(path, base, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runDir is a directory whose path is short enough for sockets.
func runDir(t testing.TB) string {
	t.Helper()
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove() })
	return dir
}

// newVM makes a VM with the tests' patience that is closed and leaves nothing.
func newVM(t testing.TB, c Config) *VM {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	v, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	v.timing = timingFor(c.Image)
	t.Cleanup(func() {
		if err := v.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		nothingLeft(t, v, goroutines)
	})
	return v
}

// nothingLeft checks what a VM promises about its end.
func nothingLeft(t testing.TB, v *VM, goroutines int) {
	t.Helper()
	nobodyKnows(t, v.cfg.Dir, v.cfg.RunDir)
	files, err := os.ReadDir(v.cfg.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".1"); name != qemu.QEMULog && name != qemu.ConsoleLog {
			t.Errorf("left in the VM's directory: %s", f.Name())
		}
	}
	for _, dir := range []string{v.cfg.RunDir, runDirOf(v)} {
		if _, err := os.Stat(dir); dir != "" && !errors.Is(err, os.ErrNotExist) {
			left, _ := os.ReadDir(dir)
			if len(left) > 0 || v.machine() != nil {
				t.Errorf("the directory of the sockets is left: %v %v", err, left)
			}
		}
	}
	noMoreGoroutines(t, goroutines)
}

func noMoreGoroutines(t testing.TB, goroutines int) {
	t.Helper()
	for began := time.Now(); runtime.NumGoroutine() > goroutines; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			buf := make([]byte, 1<<20)
			t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), goroutines, buf[:runtime.Stack(buf, true)])
			return
		}
	}
}

func runDirOf(v *VM) string {
	if m := v.machine(); m != nil {
		return m.runDir
	}
	return ""
}

// nobodyKnows checks that no process has a path in its command line.
func nobodyKnows(t testing.TB, paths ...string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		cmd, err := os.ReadFile(l)
		if err != nil || l == "/proc/self/cmdline" {
			continue
		}
		for _, p := range paths {
			if p != "" && bytes.Contains(cmd, []byte(p)) {
				t.Errorf("left: process %s %.300q", l, cmd)
			}
		}
	}
}

func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// standStill stops a process, and returns when it is: a signal takes a while to
// reach every thread.
func standStill(t *testing.T, pid int) {
	t.Helper()
	p, err := process.NewProcess(int32(pid))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGSTOP)
	}
	for stopped := false; err == nil && !stopped; {
		var state []string
		state, err = p.StatusWithContext(soon(t))
		stopped = slices.Contains(state, process.Stop)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	runtimetest.Run(t, runtimetest.Target{
		Fake: true, Patience: time.Minute,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := fakeConfig(t, "good")
			c.Env, c.OnStatus = env, onStatus
			if c.Env.Cwd == "" {
				c.Env.Cwd = "/usr" // there is no /work on this computer
			}
			v := newVM(t, c)
			v.timing.cancel = 20 * time.Second
			return v
		},
	})
}

// connected returns a ready VM and the states it went through.
func connected(t *testing.T, c Config) (*VM, *[]vmhost.Status) {
	t.Helper()
	var mu sync.Mutex
	var heard []vmhost.Status
	c.OnStatus = func(s vmhost.Status) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, s)
	}
	v := newVM(t, c)
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	return v, &heard
}

func TestConnect(t *testing.T) {
	t.Setenv("TZ", "Europe/Berlin")
	c := fakeConfig(t, "good")
	c.Env = vmhost.ExecutionEnv{Limits: vmhost.Limits{MemoryMB: 600}}
	c.Folders = []vmhost.FolderInView{{Path: "/folders/Pictures"}, {Path: "/folders/Old", ReadOnly: true}}
	c.Image.AddOns = []qemu.Layer{
		{Name: "media", File: "/addons/media.img", Verity: &qemu.Verity{RootHash: strings.Repeat("0a", 32), Salt: "0b", DataBlocks: 7}},
		{Name: "office", File: "/addons/office.img"},
	}
	served := make(chan error, 1)
	c.ServeFS = func(ctx context.Context, conn io.ReadWriteCloser) error {
		b := make([]byte, 7)
		_, err := io.ReadFull(conn, b)
		if err == nil {
			_, err = io.WriteString(conn, "yes")
		}
		served <- err
		<-ctx.Done()
		return ctx.Err()
	}
	began := time.Now()
	v, heard := connected(t, c)
	if err := <-served; err != nil {
		t.Error(err)
	}
	var steps []string
	for _, s := range *heard {
		steps = append(steps, string(s.State)+":"+s.Step)
	}
	want := "connecting:disk connecting:machine connecting:kernel connecting:agent connecting:prepare connecting:mount ready:"
	// The first byte of the console and the agent's answer come together here.
	if got := strings.Join(steps, " "); got != want && got != strings.Replace(want, "connecting:agent ", "", 1) {
		t.Errorf("heard %s", got)
	}
	if h := v.Hello(); h.Agent != "fake" {
		t.Errorf("hello %+v", h)
	}
	d := v.InitData()
	if d.Cwd != "/folders/Pictures" || d.Sandbox != "vm" || d.Network != vmhost.NetworkDeny || len(d.Folders) != 2 || d.Pack != "1.2.3" {
		t.Errorf("init data %+v", d)
	}

	obs, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:report"}}})
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Prepared wire.PrepareParams
		Mounted  string
		Args     []string
	}
	if err := json.Unmarshal(obs.Exec.Stdout, &report); err != nil {
		t.Fatal(err)
	}
	p := report.Prepared
	if at := time.Unix(0, p.UnixNano); at.Before(began) || at.After(time.Now()) || len(p.Entropy) < 64 ||
		bytes.Equal(p.Entropy, make([]byte, len(p.Entropy))) || p.Hostname != "piwork" || p.TimeZone != "Europe/Berlin" ||
		!slices.Equal(p.Layers, []wire.Layer{{Name: "media", Disk: "layer-0", RootHash: strings.Repeat("0a", 32), Salt: "0b", DataBlocks: 7}, {Name: "office", Disk: "layer-1"}}) {
		t.Errorf("prepared with %+v", p)
	}
	if report.Mounted != "virtio9p at /folders: yes" {
		t.Errorf("mounted %q", report.Mounted)
	}
	args := strings.Join(report.Args, " ")
	for _, want := range []string{"-m 600M", "-cpu max", "file.filename=" + filepath.Join(c.Dir, "overlay.qcow2"), "mount_tag=folders"} {
		if !strings.Contains(args, want) {
			t.Errorf("no %q in %s", want, args)
		}
	}
	if fi, err := os.Stat(filepath.Join(c.Dir, "overlay.qcow2")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("overlay: %v %v", fi, err)
	}
	if fi, err := os.Stat(c.Dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v %v", fi, err)
	}
	if names, err := os.ReadDir(v.m.runDir); err != nil || len(names) != 0 {
		t.Errorf("sockets are there while the VM runs: %v %v", names, err)
	}
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if e := v.m.proc.Exit(); e == nil || e.Reason != "guest-shutdown" {
		t.Errorf("the guest did not power off by itself: %+v", e)
	}
}

func TestConnectWithoutFolders(t *testing.T) {
	c := fakeConfig(t, "good")
	c.RunDir, c.Env.Cwd = "", ""
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TZ", "not a zone")
	v, _ := connected(t, c)
	obs, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:report"}}})
	if err != nil || bytes.Contains(obs.Exec.Stdout, []byte("mount_tag")) || bytes.Contains(obs.Exec.Stdout, []byte("not a zone")) {
		t.Errorf("%s %v", obs.Exec.Stdout, err)
	}
	if v.InitData().Cwd != wire.WorkDir {
		t.Errorf("directory %q", v.InitData().Cwd)
	}
}

// A killed program leaves its overlay; the next VM of the task makes its own.
func TestConnectOverAnOldOverlay(t *testing.T) {
	c := fakeConfig(t, "good")
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "overlay.qcow2"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	connected(t, c)
}

// A boot that is slow and says so is waited for.
func TestConnectIsPatient(t *testing.T) {
	began := time.Now()
	connected(t, fakeConfig(t, "slow"))
	if took := time.Since(began); took < 2*quick.stall {
		t.Errorf("the guest was ready after %v, which shows nothing", took)
	}
}

func TestConnectTriesTheLadder(t *testing.T) {
	c := fakeConfig(t, "refuses the first model")
	c.Accel = qemu.AccelKVM
	v, _ := connected(t, c)
	if args := strings.Join(v.m.proc.CommandLine(), " "); !strings.Contains(args, "-cpu "+qemu.Ladder(qemu.AccelKVM, "x86_64")[1]) {
		t.Error(args)
	}
}

func TestConnectFails(t *testing.T) {
	serve := func(ctx context.Context, _ io.ReadWriteCloser) error {
		<-ctx.Done()
		return nil
	}
	for _, tt := range []struct {
		guest  string
		change func(*testing.T, *Config)
		reason vmhost.Reason
		step   string
		text   string // in the error or its evidence
	}{
		{"old", nil, vmhost.ReasonVersion, StepAgent, "too new"},
		{"new", nil, vmhost.ReasonVersion, StepAgent, "version 2"},
		{"absurd hello", nil, vmhost.ReasonProtocol, StepAgent, "capabilities"},
		{"hello of words", nil, vmhost.ReasonProtocol, StepAgent, "guest.hello"},
		{"hello fails", nil, vmhost.ReasonRefused, StepAgent, "look at the disk"},
		{"mount fails", func(_ *testing.T, c *Config) { c.ServeFS = serve }, vmhost.ReasonRefused, StepMount, "no 9p here"},
		{"good", func(_ *testing.T, c *Config) {
			c.ServeFS = func(context.Context, io.ReadWriteCloser) error { return errors.New("no such folder") }
		}, vmhost.ReasonShare, StepMount, "no such folder"},
		{"dead console", nil, vmhost.ReasonStalled, StepKernel, "800ms"},
		{"hangs in the boot", nil, vmhost.ReasonStalled, StepAgent, "800ms"},
		{"panics in the boot", nil, vmhost.ReasonPanic, StepAgent, "No working init"},
		{"is damaged", nil, vmhost.ReasonDamaged, StepKernel, "/dev/vda has 4096 bytes"},
		{"exits in the boot", nil, vmhost.ReasonExited, StepKernel, "guest-shutdown"},
		{"closes in the boot", nil, vmhost.ReasonClosed, StepKernel, "closed"},
		{"garbage in the boot", nil, vmhost.ReasonProtocol, StepKernel, "broke the protocol"},
		{"no such guest", nil, vmhost.ReasonStart, StepMachine, "no guest"},
		{"good", func(_ *testing.T, c *Config) { c.Image.Program = []string{"/no/such/qemu"} }, vmhost.ReasonStart, StepMachine, "no such file"},
		{"good", func(_ *testing.T, c *Config) { c.Image.WorkBase = "/no/such/base" }, vmhost.ReasonHost, StepDisk, "no such file"},
		{"good", func(t *testing.T, c *Config) {
			c.Dir = filepath.Join(c.Dir, "file", "vm")
			if err := os.MkdirAll(filepath.Dir(filepath.Dir(c.Dir)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Dir(c.Dir), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, vmhost.ReasonHost, StepDisk, "not a directory"},
	} {
		t.Run(tt.guest+" "+string(tt.reason), func(t *testing.T) {
			c := fakeConfig(t, tt.guest)
			if tt.change != nil {
				tt.change(t, &c)
			}
			v := newVM(t, c)
			if tt.reason == vmhost.ReasonShare { // nothing else is said
				v.timing.evidence = quick.evidence
			}
			began := time.Now()
			err := v.Connect(soon(t))
			var e *vmhost.FailedError
			if !errors.As(err, &e) {
				t.Fatalf("Connect: %v", err)
			}
			if e.Reason != tt.reason || !strings.Contains(err.Error()+e.Detail, tt.text) || e.Runtime != "vm" {
				t.Errorf("reason %s at %q: %v\n%s", e.Reason, e.Step, err, e.Detail)
			}
			// What a guest does at once may be heard before or after the steps that it ends.
			booting := []string{StepMachine, StepKernel, StepAgent}
			if e.Step != tt.step && (!slices.Contains(booting[1:], tt.step) || !slices.Contains(booting, e.Step)) {
				t.Errorf("step %q", e.Step)
			}
			if e.Hint == "" || e.Hint != requirements[e.Step].hint {
				t.Errorf("at %q the hint is %q", e.Step, e.Hint)
			}
			if s := v.Status(); s.State != vmhost.StateFailed || !errors.Is(s.Err, e) {
				t.Errorf("status %+v", s)
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
			if err := v.Connect(soon(t)); !errors.Is(err, e) {
				t.Errorf("second Connect: %v", err)
			}
			if _, err := v.Execute(soon(t), vmhost.Action{}); !errors.Is(err, vmhost.ErrNotReady) || !errors.Is(err, e) {
				t.Errorf("Execute: %v", err)
			}
		})
	}
}

// Each way for a machine to go wrong ends in its own reason, in bounded time,
// and in each the caller of the action gets that reason.
func TestMisbehaviour(t *testing.T) {
	f := newFactory(t, "good").ensured()
	for _, tt := range []struct {
		what   string
		reason vmhost.Reason // "" when the VM goes on
	}{
		{"exit", vmhost.ReasonExited},
		{"killed", vmhost.ReasonExited},
		{"power off", vmhost.ReasonExited},
		{"panic", vmhost.ReasonPanic},
		{"panic and stay", vmhost.ReasonPanic},
		{"verity", vmhost.ReasonDamaged},
		{"damaged", vmhost.ReasonDamaged},
		{"close port", vmhost.ReasonClosed},
		{"close share", vmhost.ReasonShare},
		{"disk full", vmhost.ReasonDiskFull},
		{"hang", vmhost.ReasonHung},
		{"garbage", vmhost.ReasonProtocol},
		{"binary", vmhost.ReasonProtocol},
		{"batch", vmhost.ReasonProtocol},
		{"endless line", vmhost.ReasonProtocol},
		{"deep JSON", vmhost.ReasonProtocol},
		{"output without stream", vmhost.ReasonProtocol},
		{"output of numbers", vmhost.ReasonProtocol},
		{"progress backwards", vmhost.ReasonProtocol},
		{"long log", vmhost.ReasonProtocol},
		{"many calls", vmhost.ReasonProtocol},
		{"absurd exit", vmhost.ReasonProtocol},
		{"absurd time", vmhost.ReasonProtocol},
		{"another's result", vmhost.ReasonProtocol},
		{"bad disk", ""},
		{"strays", ""},
		{"unknown notifications", ""},
		{"output of strangers", ""},
		{"log flood", ""},
		{"one call", ""},
		{"console flood", ""},
	} {
		for _, how := range []string{HowBooted, HowRestored} {
			t.Run(tt.what+", "+how, func(t *testing.T) { misbehaves(t, f, how, tt.what, tt.reason) })
		}
	}
}

func misbehaves(t *testing.T, f *fakeFactory, how, what string, reason vmhost.Reason) {
	c := f.config()
	c.Dir, c.RunDir, c.ServeFS = filepath.Join(t.TempDir(), "vm"), runDir(t), echoFS
	c.Log = slog.New(slog.DiscardHandler)
	v := newVM(t, c)
	switch what {
	case "hang":
		v.timing.hung = quick.hung
	case "close port", "close share": // nothing else is said
		v.timing.evidence = quick.evidence
	}
	if how == HowRestored {
		v.factory = f.Factory
	}
	if err := v.Connect(soon(t)); err != nil || v.How() != how {
		t.Fatalf("%s: %v", v.How(), err)
	}
	// A second action is under way when it happens.
	other := make(chan error, 1)
	go func() {
		_, err := v.Execute(context.Background(), vmhost.Action{Exec: &wire.ExecParams{ID: "other", Argv: []string{"/bin/sleep", "600"}}})
		other <- err
	}()
	began := time.Now()
	obs, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:" + what}}})
	took := time.Since(began)
	if reason == "" {
		if err != nil || obs.Exec == nil {
			t.Fatalf("Execute: %+v %v", obs, err)
		}
		if obs, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/echo", "still here"}}}); err != nil || string(obs.Exec.Stdout) != "still here\n" {
			t.Errorf("afterwards: %+v %v", obs.Exec, err)
		}
		return
	}
	var e *vmhost.FailedError
	if !errors.As(err, &e) || e.Reason != reason || e.Step != "" {
		t.Fatalf("Execute: %v", err)
	}
	if err := <-other; !errors.As(err, &e) || e.Reason != reason {
		t.Errorf("the other action: %v", err)
	}
	if took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	if s := v.Status(); s.State != vmhost.StateFailed || !errors.Is(s.Err, e) {
		t.Errorf("status %+v", s)
	}
	// The machine is ended at once, not only by Close.
	select {
	case <-v.life.Ended():
	case <-time.After(time.Minute):
		t.Error("the machine still runs")
	}
}

// An error of the guest's that nobody knows is that of the action alone.
func TestUnknownErrorOfTheGuest(t *testing.T) {
	v, _ := connected(t, fakeConfig(t, "good"))
	_, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:result of words"}}})
	if e, is := errors.AsType[*vmhost.ActionError](err); !is || e.Code != vmhost.ActionGuest || len(err.Error()) > 8<<10 {
		t.Errorf("%d bytes: %.200v", len(err.Error()), err)
	}
}

// A guest that does not follow a cancel loses its machine; the caller gets the
// cause of the cancel, and in bounded time.
func TestCancelIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(soon(t))
	c := fakeConfig(t, "good")
	c.Log = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte(deafSays)) {
			cancel()
		}
		return testWriter{t}.Write(b)
	}), nil))
	v, _ := connected(t, c)
	_, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:deaf"}}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Execute: %v", err)
	}
	var e *vmhost.FailedError
	if s := v.Status(); s.State != vmhost.StateFailed || !errors.As(s.Err, &e) || e.Reason != vmhost.ReasonHung {
		t.Errorf("status %+v", s)
	}
}

// Neither does a guest that takes no message hold anybody up.
func TestADeafGuest(t *testing.T) {
	c := fakeConfig(t, "good")
	v := newVM(t, c)
	v.timing.hung, v.timing.ping = time.Minute, 10*time.Millisecond
	v.timing.write, v.timing.evidence = quick.write, quick.evidence
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	standStill(t, v.m.proc.PID())
	_, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{
		Argv: []string{"/bin/cat"}, Env: map[string]string{"A": strings.Repeat("a", 100<<10), "B": strings.Repeat("b", 100<<10)}, Stdin: make([]byte, 200<<10),
	}})
	if e := (*vmhost.FailedError)(nil); !errors.As(err, &e) || e.Reason != vmhost.ReasonHung || !strings.Contains(e.Error(), "take a message") {
		t.Errorf("Execute: %v", err)
	}
}

func TestTool(t *testing.T) {
	v, _ := connected(t, fakeConfig(t, "good"))
	var seen []int64
	var words []byte
	a := vmhost.Action{
		Tool:       &wire.ToolParams{Op: "test.count", In: []string{"/folders/a/x.jpg"}},
		OnProgress: func(p wire.ToolProgress) { seen = append(seen, p.Done) },
		OnOutput:   func(o wire.ExecOutput) { words = append(words, o.Data...) },
	}
	obs, err := v.Execute(soon(t), a)
	if err != nil || obs.Tool == nil || len(obs.Tool.Problems) != 1 || obs.Tool.Problems[0].Path != "/folders/a/x.jpg" {
		t.Fatalf("%+v %v", obs.Tool, err)
	}
	if len(seen) == 0 || seen[len(seen)-1] != 10 {
		t.Errorf("progress %v", seen)
	}
	if len(words) != vmhost.MaxToolOutput { // a guest may say more
		t.Errorf("%d bytes of words", len(words))
	}
	for i := 1; i < len(seen); i++ {
		if seen[i] <= seen[i-1] {
			t.Errorf("progress %v", seen)
		}
	}

	ctx, cancel := context.WithCancel(soon(t))
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := v.Execute(ctx, vmhost.Action{Tool: &wire.ToolParams{Op: "test.wait"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if s := v.Status(); s.State != vmhost.StateReady {
		t.Errorf("status %+v", s)
	}

	_, err = v.Execute(soon(t), vmhost.Action{Tool: &wire.ToolParams{Op: "test.absurd"}})
	if e := (*vmhost.FailedError)(nil); !errors.As(err, &e) || e.Reason != vmhost.ReasonProtocol {
		t.Errorf("absurd result: %v", err)
	}
}

// Nobody who is held up by a receiver counts as hung.
func TestASlowReceiverIsNotAHungGuest(t *testing.T) {
	v := newVM(t, fakeConfig(t, "good"))
	v.timing.hung = quick.hung
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	a := vmhost.Action{
		Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "head -c 6000000 /dev/zero"}},
	}
	once := sync.Once{}
	a.OnOutput = func(wire.ExecOutput) { once.Do(func() { time.Sleep(2 * quick.hung) }) }
	if obs, err := v.Execute(soon(t), a); err != nil || obs.Exec.ExitCode != 0 {
		t.Errorf("%+v %v", obs.Exec, err)
	}
}

func TestCloseKillsAGuestThatStays(t *testing.T) {
	v, _ := connected(t, fakeConfig(t, "will not power off"))
	began := time.Now()
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < quick.shutdown || took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

func TestCloseWithoutTime(t *testing.T) {
	v := newVM(t, fakeConfig(t, "will not power off"))
	v.timing.shutdown = time.Minute
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(soon(t))
	cancel()
	began := time.Now()
	if err := v.Close(over); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if s := v.Status(); s.State != vmhost.StateClosed {
		t.Errorf("status %+v", s)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	t.Run("an action", func(t *testing.T) {
		v, _ := connected(t, fakeConfig(t, "good"))
		ended := make(chan error, 1)
		go func() {
			_, err := v.Execute(context.Background(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sleep", "600"}}})
			ended <- err
		}()
		time.Sleep(50 * time.Millisecond)
		if err := v.Close(soon(t)); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, vmhost.ErrNotReady) {
			t.Errorf("Execute: %v", err)
		}
	})
	t.Run("connecting", func(t *testing.T) {
		c := fakeConfig(t, "slow")
		v := newVM(t, c)
		ended := make(chan error, 1)
		go func() { ended <- v.Connect(context.Background()) }()
		time.Sleep(200 * time.Millisecond)
		if err := v.Close(soon(t)); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, vmhost.ErrNotReady) {
			t.Errorf("Connect: %v", err)
		}
		if s := v.Status(); s.State != vmhost.StateClosed {
			t.Errorf("status %+v", s)
		}
	})
	t.Run("many closes", func(t *testing.T) {
		v, _ := connected(t, fakeConfig(t, "good"))
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if err := v.Close(soon(t)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no image":     func(c *Config) { c.Image = qemu.Image{} },
		"no accel":     func(c *Config) { c.Accel = "" },
		"no directory": func(c *Config) { c.Dir = "" },
		"relative":     func(c *Config) { c.Dir = "vm" },
		"memory":       func(c *Config) { c.MemoryMB = -1 },
	} {
		c := fakeConfig(t, "good")
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTiming(t *testing.T) {
	for boot, want := range map[time.Duration]time.Duration{0: 45 * time.Second, time.Second: 45 * time.Second, 20 * time.Second: 200 * time.Second, time.Hour: 10 * time.Minute} {
		if got := patience(boot); got.stall != want || got.hung != want {
			t.Errorf("after a boot of %v: %+v", boot, got)
		}
	}
}
