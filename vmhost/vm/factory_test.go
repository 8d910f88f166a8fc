//go:build unix

package vm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/vm/template"
	"piwork/vmhost/wire"
)

// fakeFactory has a factory whose guest is one of TestMain's, and the
// configuration of VMs that it can make.
type fakeFactory struct {
	*Factory
	t      testing.TB
	config func() Config

	mu     sync.Mutex
	states []FactoryState
}

func newFactory(t testing.TB, guest string, change ...func(*FactoryOptions)) *fakeFactory {
	t.Helper()
	leavesNoGoroutines(t)
	return newFactoryBesideOthers(t, guest, change...)
}

// leavesNoGoroutines has a test wait, at its end, until there are no more than now.
func leavesNoGoroutines(t testing.TB) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	t.Cleanup(func() { noMoreGoroutines(t, goroutines) })
}

// newFactoryBesideOthers is newFactory for parallel tests: the goroutines of the others come
// and go.
func newFactoryBesideOthers(t testing.TB, guest string, change ...func(*FactoryOptions)) *fakeFactory {
	t.Helper()
	img, err := qemutest.Image(guest, markEnv+"="+filepath.Join(t.TempDir(), "mark"))
	if err != nil {
		t.Fatal(err)
	}
	img.WorkBase = workBase(t)
	h := &fakeFactory{t: t}
	dir := filepath.Join(t.TempDir(), "templates")
	o := FactoryOptions{
		Hardware: Hardware{Image: img, Accel: qemu.AccelTCG, AppVersion: "test", PackVersion: "1.2.3", MemoryMB: 256}, Dir: dir,
		RunDir: func() (string, error) { return runDir(t), nil },
		OnState: func(s FactoryState) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.states = append(h.states, s)
		},
		Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
	for _, c := range change {
		c(&o)
	}
	h.config = func() Config {
		return Config{
			Hardware: Hardware{Image: img, Accel: qemu.AccelTCG, MemoryMB: 256, AppVersion: "test"},
			Dir:      filepath.Join(t.TempDir(), "vm"), RunDir: runDir(t), Env: vmhost.ExecutionEnv{Cwd: "/"}, Log: o.Log,
		}
	}
	if h.Factory, err = NewFactory(o); err != nil {
		t.Fatal(err)
	}
	h.timing = timingFor(img)
	h.machineKey = func() (string, error) { return "this computer", nil }
	h.verifyAfter = time.Hour
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		nobodyKnows(t, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			for _, l := range left {
				if name := filepath.Base(l); strings.HasPrefix(name, waitingName) || strings.HasPrefix(name, ".") {
					t.Errorf("left: %s", name)
				}
			}
		}
	})
	return h
}

func (h *fakeFactory) ensured() *fakeFactory {
	h.t.Helper()
	if err := h.Ensure(soon(h.t)); err != nil {
		h.t.Fatal(err)
	}
	return h
}

// vm returns a VM of the factory with the tests' patience.
func (h *fakeFactory) vm(c Config) *VM {
	h.t.Helper()
	v, err := h.New(c)
	if err != nil {
		h.t.Fatal(err)
	}
	v.timing = h.timing
	h.t.Cleanup(func() {
		if err := v.Close(context.Background()); err != nil {
			h.t.Errorf("Close: %v", err)
		}
		nothingLeft(h.t, v, math.MaxInt) // the factory's own clean-up counts
	})
	return v
}

// connected returns a ready VM that began as wanted.
func (h *fakeFactory) connected(c Config, how string) *VM {
	h.t.Helper()
	v := h.vm(c)
	if err := v.Connect(soon(h.t)); err != nil {
		h.t.Fatal(err)
	}
	if v.How() != how {
		h.t.Errorf("the VM was %s, not %s", v.How(), how)
	}
	return v
}

func (h *fakeFactory) phases() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var p []string
	for _, s := range h.states {
		if n := string(s.Phase); len(p) == 0 || p[len(p)-1] != n {
			p = append(p, n)
		}
	}
	return strings.Join(p, " ")
}

// heard returns the states after the first ones that are as wanted; all, with nil.
func (h *fakeFactory) heard(after int, is func(FactoryState) bool) (states []FactoryState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.states[after:] {
		if is == nil || is(s) {
			states = append(states, s)
		}
	}
	return states
}

// waits returns what waits.
func (f *Factory) waits() *waiting {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting
}

// eventually waits for a state.
func (h *fakeFactory) eventually(what string, is func(FactoryState) bool) FactoryState {
	h.t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if s := h.State(); is(s) {
			return s
		} else if time.Since(began) > time.Minute {
			h.t.Fatalf("the factory is not %s: %+v", what, s)
		}
	}
}

// echoFS answers the fake guest's attach.
func echoFS(_ context.Context, conn io.ReadWriteCloser) error {
	_, err := io.CopyN(conn, conn, 3)
	if err == nil {
		_, err = io.Copy(io.Discard, conn)
	}
	return err
}

type guestReport struct {
	Prepared wire.PrepareParams
	Warmed   []wire.WarmParams
	Clocks   []int64
	Mounted  string
	Linked   []string
	Args     []string
}

func reportOf(t testing.TB, v *VM) guestReport {
	t.Helper()
	obs, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:report"}}})
	if err != nil {
		t.Fatal(err)
	}
	var r guestReport
	if err := json.Unmarshal(obs.Exec.Stdout, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

var mediaLayer = qemu.Layer{Name: "media", File: "/addons/media.img"}

// A VM of a template is what a booted one is, and gets the same from the host.
func TestRestore(t *testing.T) {
	h := newFactory(t, "good").ensured()
	s := h.State()
	if s.Mode != ModeTemplate || s.Phase != PhaseReady || s.Bytes == 0 || s.Restore == 0 || h.phases() != "making ready" {
		t.Errorf("%+v, %s", s, h.phases())
	}
	c := h.config()
	c.Image.AddOns = []qemu.Layer{mediaLayer}
	c.ServeFS = echoFS
	var steps []string
	c.OnStatus = func(s vmhost.Status) { steps = append(steps, string(s.State)+":"+s.Step) }
	began := time.Now()
	v := h.connected(c, HowRestored)
	if got := strings.Join(steps, " "); got != "connecting:restore ready:" {
		t.Errorf("heard %s", got)
	}
	if h := v.Hello(); h.Agent != "fake" || v.PID() == 0 {
		t.Errorf("hello %+v", h)
	}
	r := reportOf(t, v)
	if !strings.HasPrefix(r.Mounted, "virtio9p at /folders: att") {
		t.Errorf("mounted %q", r.Mounted)
	}
	if p := r.Prepared; time.Unix(0, p.UnixNano).Before(began) || len(p.Entropy) < wire.MinEntropy || len(p.Layers) != 1 || p.Layers[0].Disk != "layer-0" {
		t.Errorf("prepared with %+v", p)
	}
	args := strings.Join(r.Args, " ")
	for _, want := range []string{"-incoming defer", "share=off", filepath.Join(c.Dir, overlayFile)} {
		if !strings.Contains(args, want) {
			t.Errorf("no %q in %s", want, args)
		}
	}
	if strings.Contains(args, "media.img") {
		t.Error("an add-on on the command line of a machine that was saved without")
	}
	overlay, err := os.ReadFile(filepath.Join(c.Dir, overlayFile))
	if err != nil {
		t.Fatal(err)
	}
	tpl, err := h.lookup()
	if err != nil {
		t.Fatal(err)
	}
	if disk, err := os.ReadFile(tpl.Path(template.Disk)); err != nil || !bytes.Equal(disk, overlay) {
		t.Errorf("the disk is not the template's: %v", err)
	}

	// Several at once, and one more after the first is gone. Each has random bytes of
	// its own: the memory that they come from is the same.
	var wg sync.WaitGroup
	others := []*VM{h.vm(h.config()), h.vm(h.config()), h.vm(h.config())}
	for _, v := range others {
		wg.Go(func() {
			if err := v.Connect(soon(t)); err != nil || v.How() != HowRestored {
				t.Errorf("%s: %v", v.How(), err)
			}
		})
	}
	wg.Wait()
	seeds := map[string]bool{string(r.Prepared.Entropy): true}
	for _, v := range others {
		seeds[string(reportOf(t, v).Prepared.Entropy)] = true
	}
	if len(seeds) != 4 {
		t.Errorf("4 machines were given %d different seeds", len(seeds))
	}
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if e := v.m.proc.Exit(); e == nil || e.Reason != "guest-shutdown" {
		t.Errorf("the guest did not power off by itself: %+v", e)
	}
	h.connected(h.config(), HowRestored)
	if err := h.Ensure(soon(t)); err != nil {
		t.Error(err)
	}
	if h.phases() != "making ready" {
		t.Errorf("phases %s", h.phases())
	}
}

// What the template is not of boots.
func TestRestoreFits(t *testing.T) {
	h := newFactory(t, "good").ensured()
	for name, change := range map[string]func(*Config){
		"more memory":     func(c *Config) { c.MemoryMB = 512 },
		"a limit of less": func(c *Config) { c.Env.Limits.MemoryMB = 200 },
		"CPUs":            func(c *Config) { c.CPUs = 2 },
		"another model":   func(c *Config) { c.CPU = "qemu64" },
		"another image":   func(c *Config) { c.Image.ID = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			c := h.config()
			change(&c)
			h := &fakeFactory{Factory: h.Factory, t: t}
			v, err := h.New(c)
			if err != nil {
				t.Fatal(err)
			}
			v.timing = h.timing
			if err := v.Connect(soon(t)); err != nil || v.How() != HowBooted {
				t.Errorf("%s: %v", v.How(), err)
			}
			if err := v.Close(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
	c := h.config()
	c.CPU = qemu.Ladder(qemu.AccelTCG, "x86_64")[0]
	h.connected(c, HowRestored)
}

// However a restored machine goes wrong, the same Connect boots one, what was
// restored is gone, and the template is made anew.
func TestRestoreFallsBack(t *testing.T) {
	leavesNoGoroutines(t)
	for _, guest := range []string{
		"restore hangs", "restore is refused", "restore does not start", "restored, it is silent", "restored, it exits", "restored, it panics",
		"restored, it says garbage", "restored, it answers nonsense", "restored, it closes the port",
		"restored, it is not prepared", "restored, it cannot mount",
	} {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()
			h := newFactoryBesideOthers(t, guest)
			h.timing.stall, h.timing.restore = time.Minute, time.Minute // a busy computer makes the template, and boots
			h.ensured()
			if guest == "restore hangs" || guest == "restored, it is silent" {
				h.timing.restore = quick.restore
			}
			c := h.config()
			c.ServeFS = echoFS
			var steps []string
			c.OnStatus = func(s vmhost.Status) { steps = append(steps, string(s.State)+":"+s.Step) }
			began := time.Now()
			v := h.connected(c, HowBooted)
			if took := time.Since(began); took > 30*time.Second { // it did not wait for one that had failed
				t.Errorf("it took %v", took)
			}
			if got := strings.Join(steps, " "); !strings.HasPrefix(got, "connecting:restore connecting:disk ") || !strings.HasSuffix(got, " ready:") {
				t.Errorf("heard %s", got)
			}
			if obs, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/echo", "works"}}}); err != nil || string(obs.Exec.Stdout) != "works\n" {
				t.Errorf("%+v %v", obs.Exec, err)
			}
			if guest == "restored, it cannot mount" { // which the factory's own trial does not show
				h.eventually("ready", func(s FactoryState) bool { return s.Phase == PhaseReady })
				return
			}
			// Made anew, it meets the same guest, and that is remembered.
			s := h.eventually("failed", func(s FactoryState) bool { return s.Phase == PhaseFailed })
			if s.Err == nil || s.Mode != ModeTemplate {
				t.Errorf("%+v", s)
			}
			key, err := h.Key()
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := h.store.Failed(key); !ok || f.Attempts != 2 {
				t.Errorf("remembered: %+v", f)
			}
			for range 2 { // the first may join the attempt that is just ending
				if err = h.Ensure(soon(t)); err != nil && strings.Contains(err.Error(), "2 times") {
					return
				}
			}
			t.Errorf("Ensure soon after: %v", err)
		})
	}
}

// What goes wrong with a booted machine too is not the template's fault.
func TestTemplateIsNotToBlame(t *testing.T) {
	h := newFactory(t, "good").ensured()
	c := h.config()
	c.ServeFS = func(context.Context, io.ReadWriteCloser) error { return errors.New("no such folder") }
	v := h.vm(c)
	v.timing.evidence = quick.evidence // there is none
	var e *vmhost.FailedError
	if err := v.Connect(soon(t)); !errors.As(err, &e) || e.Reason != vmhost.ReasonShare || e.Step != StepMount {
		t.Errorf("Connect: %v", err)
	}
	if got := h.phases(); got != "making ready" {
		t.Errorf("phases %s", got)
	}

	c = h.config()
	ctx, cancel := context.WithCancel(soon(t))
	c.OnStatus = func(s vmhost.Status) {
		if s.Step == StepRestore {
			cancel()
		}
	}
	v = h.vm(c)
	if err := v.Connect(ctx); !errors.As(err, &e) || e.Reason != vmhost.ReasonStopped {
		t.Errorf("Connect: %v", err)
	}
	if got := h.phases(); got != "making ready" {
		t.Errorf("phases %s", got)
	}
	h.connected(h.config(), HowRestored)
}

// A damaged template is found, when it is used or before, and made anew.
func TestTemplateIsDamaged(t *testing.T) {
	damage := func(t *testing.T, h *fakeFactory, name string, f func(string) error) {
		t.Helper()
		tpl, err := h.lookup()
		if err == nil {
			err = f(tpl.Path(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	flip := func(at int64) func(string) error {
		return func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{0xa5}, at)
			return errors.Join(err, f.Close())
		}
	}
	for name, tt := range map[string]struct {
		file string
		do   func(string) error
	}{
		"the state":          {template.State, flip(4100)},
		"the state's header": {template.State, flip(10)},
		"no state":           {template.State, os.Remove},
		"short memory":       {template.RAM, func(p string) error { return os.Truncate(p, 4096) }},
		"no disk":            {template.Disk, os.Remove},
		"no description":     {"template.json", os.Remove},
		"another's hello": {"template.json", func(p string) error {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			return os.WriteFile(p, bytes.Replace(b, []byte(`"version": 1`), []byte(`"version": 9`), 1), 0o600)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFactory(t, "good").ensured()
			damage(t, h, tt.file, tt.do)
			h.connected(h.config(), HowBooted)
			if strings.HasPrefix(name, "the state") || name == "another's hello" { // found by its use: made anew without being asked for
				h.eventually("ready", func(s FactoryState) bool { return s.Phase == PhaseReady })
			}
			h.ensured().connected(h.config(), HowRestored)
		})
	}
	t.Run("memory that nobody has read", func(t *testing.T) {
		dir := ""
		first := newFactory(t, "good", func(o *FactoryOptions) { dir = o.Dir }).ensured()
		damage(t, first, template.RAM, flip(77777))
		h := newFactory(t, "good", func(o *FactoryOptions) { o.Dir, o.Image = dir, first.o.Image })
		h.verifyAfter = time.Millisecond
		if err := h.Ensure(soon(t)); err != nil {
			t.Fatal(err)
		}
		h.eventually("made anew", func(s FactoryState) bool { return s.Phase == PhaseReady && s.Restore > 0 })
		if got := h.phases(); got != "ready none making ready" {
			t.Errorf("phases %s", got)
		}
	})
}

// A template that cannot be made is tried again a few times, then one VM waits
// instead.
func TestTemplatesDoNotWorkHere(t *testing.T) {
	leavesNoGoroutines(t)
	for guest, text := range map[string]string{
		"cannot be restored": "does not do",
		"cannot be saved":    "a device forbids it",
		"cannot be warmed":   "no disk",
		"hangs in the boot":  "console nor agent",
	} {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()
			h := newFactoryBesideOthers(t, guest)
			for i := range giveUp {
				if i == giveUp-1 { // two attempts were made; time passes
					key, err := h.Key()
					if err != nil {
						t.Fatal(err)
					}
					if f, ok := h.store.Failed(key); !ok || f.Attempts != i {
						t.Errorf("%+v", f)
					}
					if err := h.Ensure(soon(t)); err == nil || !strings.Contains(err.Error(), "2 times") {
						t.Errorf("at once again: %v", err)
					}
					if err := h.store.NoteFailure(key, errors.New("another")); err != nil {
						t.Fatal(err)
					}
					break
				}
				if err := h.Ensure(soon(t)); err == nil || !strings.Contains(err.Error(), text) {
					t.Fatalf("Ensure: %v", err)
				}
				if s := h.State(); s.Mode != ModeTemplate || s.Phase != PhaseFailed || s.Err == nil {
					t.Errorf("%+v", s)
				}
			}
			err := h.Ensure(soon(t))
			s := h.State()
			if s.Mode != ModeWaiting {
				t.Errorf("%+v", s)
			}
			switch guest {
			case "cannot be warmed", "hangs in the boot":
				if err == nil || s.Phase != PhaseFailed {
					t.Errorf("%+v %v", s, err)
				}
			default:
				if err != nil || s.Phase != PhaseReady || s.MemoryMB != 256 {
					t.Errorf("%+v %v", s, err)
				}
				h.connected(h.config(), HowWaited)
			}
		})
	}
	t.Run("an older pack", func(t *testing.T) {
		h := newFactory(t, "knows no templates")
		if err := h.Ensure(soon(t)); !errors.Is(err, errCannotWarm) {
			t.Errorf("Ensure: %v", err)
		}
		if s := h.State(); s.Mode != ModeCold || s.Phase != PhaseFailed {
			t.Errorf("%+v", s)
		}
		if err := h.Ensure(soon(t)); !errors.Is(err, errCannotWarm) {
			t.Errorf("Ensure again: %v", err)
		}
		h.connected(h.config(), HowBooted)
	})
	t.Run("no space", func(t *testing.T) {
		h := newFactory(t, "good", func(o *FactoryOptions) { o.MemoryMB = 1 << 40 >> 20 << 10 })
		if err := h.Ensure(soon(t)); !errors.Is(err, template.ErrNoSpace) {
			t.Errorf("Ensure: %v", err)
		}
		key, err := h.Key()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := h.store.Failed(key); ok {
			t.Error("remembered: space can come back")
		}
	})
}

// The key holds what a template depends on.
func TestFactoryKey(t *testing.T) {
	key := func(f *Factory) string {
		t.Helper()
		k, err := f.Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	img, err := qemutest.Image("good")
	if err != nil {
		t.Fatal(err)
	}
	img.WorkBase = "/nowhere/work.qcow2"
	factory := func(change func(*FactoryOptions), computer string) *Factory {
		t.Helper()
		o := FactoryOptions{Hardware: Hardware{Image: img, Accel: qemu.AccelTCG, MemoryMB: 512, AppVersion: "1"}, Dir: "/nowhere/templates"}
		change(&o)
		f, err := NewFactory(o)
		if err != nil {
			t.Fatal(err)
		}
		f.machineKey = func() (string, error) { return computer, nil }
		return f
	}
	same := func(*FactoryOptions) {}
	base := key(factory(same, "a"))
	for name, f := range map[string]*Factory{
		"itself":       factory(same, "a"),
		"another app":  factory(func(o *FactoryOptions) { o.AppVersion = "2" }, "a"),
		"another dir":  factory(func(o *FactoryOptions) { o.Dir = "/elsewhere" }, "a"),
		"with add-ons": factory(func(o *FactoryOptions) { o.Image.AddOns = []qemu.Layer{mediaLayer} }, "a"),
	} {
		if key(f) != base {
			t.Errorf("%s has another key", name)
		}
	}
	for name, f := range map[string]*Factory{
		"another computer": factory(same, "b"),
		"memory":           factory(func(o *FactoryOptions) { o.MemoryMB = 1024 }, "a"),
		"CPUs":             factory(func(o *FactoryOptions) { o.CPUs = 2 }, "a"),
		"a CPU model":      factory(func(o *FactoryOptions) { o.CPU = "qemu64" }, "a"),
		"an accelerator":   factory(func(o *FactoryOptions) { o.Accel = qemu.AccelKVM }, "a"),
		"another pack":     factory(func(o *FactoryOptions) { o.Image.ID = "other" }, "a"),
	} {
		if key(f) == base {
			t.Errorf("%s has the same key", name)
		}
	}
	if _, err := NewFactory(FactoryOptions{Hardware: Hardware{Image: img, Accel: qemu.AccelTCG}, Dir: "templates"}); err == nil {
		t.Error("a relative directory")
	}
	if _, err := NewFactory(FactoryOptions{Hardware: Hardware{Accel: qemu.AccelTCG}, Dir: "/nowhere/templates"}); err == nil {
		t.Error("no image")
	}
}

// A second program finds the template of the first.
func TestTemplateIsShared(t *testing.T) {
	dir := ""
	first := newFactory(t, "good", func(o *FactoryOptions) { dir = o.Dir })
	second := newFactory(t, "good", func(o *FactoryOptions) { o.Dir, o.Image = dir, first.o.Image })
	t.Cleanup(func() { _ = first.Close() }) // before the second looks what is left
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for _, h := range []*fakeFactory{first, second, first, second} {
		wg.Go(func() {
			<-begin
			if err := h.Ensure(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	wg.Wait()
	if a, b := first.phases(), second.phases(); a != "making ready" || b != "making ready" {
		t.Errorf("%s, %s", a, b)
	}
	made := 0
	for _, h := range []*fakeFactory{first, second} {
		made += len(h.heard(0, func(s FactoryState) bool { return s.Restore > 0 }))
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
	key, err := first.Key()
	if err != nil {
		t.Fatal(err)
	}
	if err := SweepTemplates(soon(t), dir, key); err != nil {
		t.Error(err)
	}
	v := first.connected(first.config(), HowRestored)
	if err := SweepTemplates(soon(t), dir); err != nil {
		t.Error(err)
	}
	if _, err := first.lookup(); !errors.Is(err, template.ErrNone) {
		t.Errorf("after the sweep: %v", err)
	}
	if s := v.Status(); s.State != vmhost.StateReady {
		t.Errorf("a machine from a template that is gone: %+v", s)
	}
}

// A template that is dropped while an Ensure that had found it is about to return is made anew.
func TestEnsureOfADroppedTemplate(t *testing.T) {
	h := newFactory(t, "good").ensured()
	times := 0
	h.Factory.mu.Lock()
	w := h.join(&h.making, func(ctx context.Context) error {
		err := h.make(ctx)
		if times++; times == 1 {
			h.drop(errors.New("damaged"))
			h.remake()
		}
		return err
	})
	h.Factory.mu.Unlock()
	if err := w.wait(soon(t)); err != nil || times != 2 {
		t.Errorf("%v, done %d times", err, times)
	}
	if _, err := h.lookup(); err != nil || h.State().Phase != PhaseReady {
		t.Errorf("%v, %+v", err, h.State())
	}
}

func TestFactoryIsGivenUp(t *testing.T) {
	t.Run("a caller", func(t *testing.T) {
		h := newFactory(t, "slow")
		ctx, cancel := context.WithTimeout(soon(t), 100*time.Millisecond)
		defer cancel()
		if err := h.Ensure(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Ensure: %v", err)
		}
		h.connected(h.config(), HowBooted) // meanwhile
		h.ensured()
	})
	t.Run("the factory", func(t *testing.T) {
		h := newFactory(t, "slow")
		got := make(chan error, 1)
		go func() { got <- h.Ensure(context.Background()) }()
		h.eventually("making", func(s FactoryState) bool { return s.Phase == PhaseMaking })
		time.Sleep(100 * time.Millisecond)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err := <-got; !errors.Is(err, errFactoryClosed) {
			t.Errorf("Ensure: %v", err)
		}
		if err := h.Ensure(soon(t)); !errors.Is(err, errFactoryClosed) {
			t.Errorf("Ensure afterwards: %v", err)
		}
		key, err := h.Key()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := h.store.Failed(key); ok {
			t.Error("remembered as failed")
		}
		h.connected(h.config(), HowBooted)
	})
}

// Where machines cannot be saved one waits, its processors stopped.
func TestWaiting(t *testing.T) {
	h := newFactory(t, "good")
	h.set(func(s *FactoryState) { s.Mode = ModeWaiting })
	h.ensured()
	if s := h.State(); s.Phase != PhaseReady || s.MemoryMB != 256 || s.Bytes != 0 {
		t.Errorf("%+v", s)
	}
	m := h.waits().m
	if !m.clock.Stopped() {
		t.Error("it runs while it waits")
	}
	other := h.config()
	other.MemoryMB = 512
	h.connected(other, HowBooted)
	c := h.config()
	c.ServeFS = echoFS
	c.Image.AddOns = []qemu.Layer{mediaLayer}
	v := h.connected(c, HowWaited)
	if v.m != m || v.Paused() {
		t.Error("another machine, or paused")
	}
	r := reportOf(t, v)
	if len(r.Warmed) != 1 || r.Warmed[0].Hostname != hostname || !strings.HasPrefix(r.Mounted, "virtio9p at /folders") || len(r.Prepared.Layers) != 1 {
		t.Errorf("%+v", r)
	}
	if s := h.State(); s.Phase != PhaseNone || s.MemoryMB != 0 {
		t.Errorf("%+v", s)
	}
	h.connected(h.config(), HowBooted) // there was one
	dir := m.dir
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory in which it waited: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(c.Dir, qemu.ConsoleLog)); err != nil || !bytes.Contains(b, []byte("fake")) {
		t.Errorf("its log: %q %v", b, err)
	}
	h.ensured()
	h.Release()
	if s := h.State(); s.Phase != PhaseNone || s.MemoryMB != 0 || h.waits() != nil {
		t.Errorf("released: %+v", s)
	}
	h.Release()
}

// A VM that is expected is restored ahead, once, and waits for a while.
func TestExpect(t *testing.T) {
	h := newFactory(t, "good")
	if err := h.Expect(soon(t)); err != nil || h.waits() != nil {
		t.Errorf("without a template: %v", err)
	}
	h.ensured()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := h.Expect(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w := h.waits()
	if w == nil || !w.m.clock.Stopped() || h.State().MemoryMB != 256 || h.State().Phase != PhaseReady {
		t.Fatalf("%+v", h.State())
	}
	c := h.config()
	c.ServeFS = echoFS
	c.Image.AddOns = []qemu.Layer{mediaLayer}
	v := h.connected(c, HowWaited)
	if v.m != w.m {
		t.Error("another machine")
	}
	if r := reportOf(t, v); len(r.Warmed) != 1 || !strings.HasPrefix(r.Mounted, "virtio9p at /folders") || len(r.Prepared.Layers) != 1 {
		t.Errorf("%+v", r)
	}
	if s := h.State(); s.MemoryMB != 0 || s.Phase != PhaseReady {
		t.Errorf("%+v", s)
	}
	h.connected(h.config(), HowRestored) // there was one

	// One that does not do is replaced by the template.
	if err := h.Expect(soon(t)); err != nil {
		t.Fatal(err)
	}
	m := h.waits().m
	m.timing.restore = quick.restore
	standStill(t, m.proc.PID())
	h.connected(h.config(), HowRestored)

	h.o.IdleAfter = 100 * time.Millisecond
	before := len(h.heard(0, nil))
	if err := h.Expect(soon(t)); err != nil || len(h.heard(before, func(s FactoryState) bool { return s.MemoryMB == 256 })) == 0 {
		t.Fatalf("none waited: %v", err)
	}
	h.eventually("without it", func(s FactoryState) bool { return s.MemoryMB == 0 && s.Phase == PhaseReady })
	h.o.IdleAfter = time.Hour
	if err := h.Expect(soon(t)); err != nil || h.waits() == nil {
		t.Fatal(err)
	}
	h.Release()
	if s := h.State(); s.MemoryMB != 0 || s.Phase != PhaseReady || h.waits() != nil {
		t.Errorf("%+v", s)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := h.Expect(soon(t)); err != nil || h.waits() != nil {
		t.Errorf("after Close: %v", err)
	}
}

func TestExpectFails(t *testing.T) {
	h := newFactory(t, "restored, it exits").ensured()
	if err := h.Expect(soon(t)); err == nil || h.waits() != nil {
		t.Errorf("Expect: %v", err)
	}
	h.connected(h.config(), HowBooted)
}

// A sweep removes no directory of a machine that begins to wait, and no such machine begins in
// one that a sweep removes.
func TestSweepBesideWaiting(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := sweepWaiting(t.Context(), dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 300 {
		made, lock, err := makeWaitingDir(soon(t), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(made, overlayFile), nil, 0o600); err != nil {
			t.Error(err)
		}
		runtime.Gosched()
		if _, err := os.Stat(filepath.Join(made, overlayFile)); err != nil {
			t.Error(err)
		}
		if err := removeLocked(made, lock); err != nil {
			t.Error(err)
		}
	}
	close(done)
	sweeps.Wait()
}

func TestWaitingEnds(t *testing.T) {
	waits := func(t *testing.T, idle time.Duration) *fakeFactory {
		h := newFactory(t, "good", func(o *FactoryOptions) { o.IdleAfter = idle })
		h.set(func(s *FactoryState) { s.Mode = ModeWaiting })
		return h.ensured()
	}
	gone := func(s FactoryState) bool { return s.Phase == PhaseNone && s.MemoryMB == 0 }
	t.Run("unused", func(t *testing.T) {
		h := waits(t, 100*time.Millisecond)
		if s := h.eventually("without it", gone); s.Err != nil {
			t.Errorf("%+v", s)
		}
		h.ensured()
	})
	t.Run("killed", func(t *testing.T) {
		h := waits(t, 0)
		if err := syscall.Kill(h.waits().m.proc.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s := h.eventually("without it", gone)
		if e := (*vmhost.FailedError)(nil); !errors.As(s.Err, &e) || e.Reason != vmhost.ReasonExited {
			t.Errorf("%+v", s)
		}
		h.connected(h.config(), HowBooted)
	})
	t.Run("killed while it is taken", func(t *testing.T) {
		h := waits(t, 0)
		m := h.waits().m
		m.timing.restore = quick.restore
		standStill(t, m.proc.PID())
		h.connected(h.config(), HowBooted) // it is silent
	})
	t.Run("left by a killed program", func(t *testing.T) {
		h := waits(t, 0)
		left := filepath.Join(h.o.Dir, waitingName+"left")
		if err := os.MkdirAll(left, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := SweepTemplates(soon(t), h.o.Dir); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("left: %v", err)
		}
		if _, err := os.Stat(h.waits().m.overlay); err != nil {
			t.Errorf("that of a VM that waits: %v", err)
		}
	})
}
