package app

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/folders"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// fastWorld is a world whose machines can have their folders as a device.
type fastWorld struct {
	*world
	works *works
	c     *Controller

	mu      sync.Mutex
	known   map[string]bool
	hinders error // the device, of every machine
	lies    bool  // a machine reads something else
	devices []bool
}

func (f *fastWorld) Knows(what string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[what]
}

func (f *fastWorld) Learn(what string, holds bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[what] = holds
	return nil
}

func (f *fastWorld) knownNow() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.known)
}

func (f *fastWorld) hinder(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hinders = err
}

// asked is, for each machine, whether its folders were to be a device.
func (f *fastWorld) asked() []bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]bool{}, f.devices...)
}

type fastFiles struct{ folders.Share }

func (fastFiles) ServeDevice(_ context.Context, l net.Listener) error { return l.Close() }

type fastRuntime struct {
	vmhost.Runtime
	kind string
	why  error
}

func (r fastRuntime) Share() (string, error) { return r.kind, r.why }

type fastFactory struct {
	machines.Factory
	f *fastWorld
}

func (x fastFactory) Make(s vm.Config) (vmhost.Runtime, error) {
	rt, err := x.Factory.Make(s)
	return x.f.runtime(s, rt), err
}

func (f *fastWorld) runtime(s vm.Config, rt vmhost.Runtime) vmhost.Runtime {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.devices = append(f.devices, s.ServeDevice != nil)
	if f.lies {
		rt.(*choretest.Runtime).Cat = true
		rt.(*choretest.Runtime).Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			return wire.ExecResult{}, nil
		}
	}
	if s.ServeDevice != nil && f.hinders == nil {
		return fastRuntime{rt, wire.KindVirtioFS, nil}
	}
	if s.ServeDevice == nil {
		return fastRuntime{rt, wire.KindVirtio9P, nil}
	}
	return fastRuntime{rt, wire.KindVirtio9P, f.hinders}
}

// openFast opens a controller on such a computer, which was looked at.
func openFast(t *testing.T, change func(*fastWorld, *seams)) *fastWorld {
	t.Helper()
	w, k := instantWorld(t)
	f := &fastWorld{world: w, works: k, known: map[string]bool{}}
	c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (seams, error) {
		s, err := w.seams(ctx, o)
		s.shareProofs = f
		s.share = func(folders []task.Folder, j history.Journal, g *guard.Guard, lost folders.Lost) (folders.Share, error) {
			files, err := w.share(folders, j, g, lost)
			return fastFiles{files}, err
		}
		boots := s.machine
		s.machine = func(spec vm.Config) (vmhost.Runtime, error) {
			rt, err := boots(spec)
			return f.runtime(spec, rt), err
		}
		s.factory = func(spec vm.FactoryOptions) (machines.Factory, error) {
			made, err := k.make(spec)
			return fastFactory{made, f}, err
		}
		if change != nil {
			change(f, &s)
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(c.o.CacheDir, machines.ShareTest)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the test of the share left something: %v", err)
		}
	})
	f.settle.Store(0)
	if _, err := c.Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	f.c = c
	return f
}

func (f *fastWorld) stands() machines.Share {
	f.t.Helper()
	m, err := f.c.Machines(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return m.Share
}

func (f *fastWorld) stand(want machines.Share) {
	f.t.Helper()
	f.until("folders that go over "+string(want.Kind)+" "+string(want.Reason), func() bool {
		s := f.stands()
		return s.Kind == want.Kind && s.Reason == want.Reason
	})
}

// work does a task with a folder and says how its folders were to reach it.
func (f *fastWorld) work() bool {
	f.t.Helper()
	r := execRequestOf("true")
	r.Folders = []task.FolderRequest{{Path: f.t.TempDir(), Mode: task.ModeReadOnly}}
	f.listen(f.c)(f.start(f.c, r).ID, task.StateDone)
	all := f.asked()
	return all[len(all)-1]
}

// The fast way is found out about when nobody needs the computer, once, and used
// from then on, until it fails.
func TestFastShare(t *testing.T) {
	f := openFast(t, nil)
	f.stand(machines.Share{Kind: machines.ShareVirtioFS})
	if a := f.asked(); len(a) != 1 || !a[0] || len(f.knownNow()) != 1 {
		t.Errorf("proven by %v", a)
	}
	if !f.work() || !f.works.all()[0].spec.ForDevice() {
		t.Error("not used by a task")
	}
	if len(f.asked()) != 2 {
		t.Errorf("proven again: %v", f.asked())
	}
	// It fails: that task has its folders over 9p, and so have others.
	f.hinder(errors.New("the guest cannot mount it"))
	if !f.work() {
		t.Error("not tried")
	}
	f.stand(machines.Share{Kind: machines.Share9P, Reason: machines.ShareFailed})
	if s := f.stands(); !strings.Contains(s.Detail, "cannot mount") {
		t.Errorf("%+v", s)
	}
	if f.work() || f.works.all()[0].spec.ForDevice() {
		t.Error("tried again")
	}
	// Looked at again, it is proven anew.
	f.hinder(nil)
	f.c.Share.Again()
	f.c.Pool.Wake()
	f.stand(machines.Share{Kind: machines.ShareVirtioFS})
	if !f.work() {
		t.Error("not used")
	}
}

func TestFastShareChoice(t *testing.T) {
	f := openFast(t, nil)
	f.stand(machines.Share{Kind: machines.ShareVirtioFS})
	choose := func(kind machines.ShareKind) error {
		m, err := f.c.Machines(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m.Settings.Share = kind
		_, err = f.c.SetMachines(t.Context(), m.Settings)
		return err
	}
	for kind, want := range map[machines.ShareKind]machines.Share{
		machines.Share9P: {Kind: machines.Share9P, Reason: machines.ShareChosen}, machines.ShareVirtioFS: {Kind: machines.ShareVirtioFS, Reason: machines.ShareChosen}, machines.ShareAuto: {Kind: machines.ShareVirtioFS}, "": {Kind: machines.ShareVirtioFS},
	} {
		if err := choose(kind); err != nil {
			t.Fatal(err)
		}
		if s := f.stands(); s != want {
			t.Errorf("%q: %+v", kind, s)
		}
		if f.work() != (want.Kind == machines.ShareVirtioFS) {
			t.Errorf("%q: not followed", kind)
		}
		if m, err := f.c.Machines(t.Context()); err != nil || m.Settings.Share == "" || kind != "" && m.Settings.Share != kind {
			t.Errorf("%q is shown as %q, %v", kind, m.Settings.Share, err)
		}
	}
	if err := choose("nfs"); codeOf(err) == "" {
		t.Error("a kind that is none was taken")
	}
}

// What was not proven is not used.
func TestFastShareIsNotProven(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*fastWorld, *seams)
		want   machines.Share
	}{
		"another system":          {func(_ *fastWorld, s *seams) { s.shareProofs = nil }, machines.Share{Kind: machines.Share9P, Reason: machines.ShareNotHere}},
		"the device is hindered":  {func(f *fastWorld, _ *seams) { f.hinders = errors.New("no") }, machines.Share{Kind: machines.Share9P, Reason: machines.ShareFailed}},
		"it reads something else": {func(f *fastWorld, _ *seams) { f.lies = true }, machines.Share{Kind: machines.Share9P, Reason: machines.ShareFailed}},
		"machines do not connect": {func(f *fastWorld, _ *seams) {
			f.onMachine = func(r *choretest.Runtime) error {
				r.OnConnect = func(context.Context) error { return errors.New("no") }
				return nil
			}
		}, machines.Share{Kind: machines.Share9P, Reason: machines.ShareFailed}},
		"no machine is there at once": {func(_ *fastWorld, s *seams) { s.factory = nil }, machines.Share{Kind: machines.Share9P, Reason: machines.ShareUntried}},
		"there is no room":            {func(f *fastWorld, _ *seams) { f.diskMB = 1 }, machines.Share{Kind: machines.Share9P, Reason: machines.ShareUntried}},
	} {
		t.Run(name, func(t *testing.T) {
			f := openFast(t, tt.change)
			f.stand(tt.want)
			if known := f.knownNow(); len(known) > 1 || known[""] {
				t.Errorf("known: %v", known)
			}
			if f.onMachine == nil && !f.lies && f.work() {
				t.Error("used by a task")
			}
		})
	}
}
