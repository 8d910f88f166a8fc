package machines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
	"piwork/vmhost/vm/template"
)

// The factory of the real machines knows what an earlier run of the program saved,
// before it did anything, and what is of no use is swept.
func TestTemplates(t *testing.T) {
	if !qemu.CanTemplate(runtime.GOOS, qemu.AccelTCG) {
		t.Skip("no machine can be saved on this system")
	}
	cache := t.TempDir()
	factories := Templates(cache)
	spec := func(image string) vm.FactoryOptions {
		return vm.FactoryOptions{
			Hardware: vm.Hardware{
				Image: qemu.Image{ID: image, Arch: "x86_64", Program: []string{"/none/" + image}, Kernel: "/none/k", RootFS: "/none/r", WorkBase: "/none/w"},
				Accel: qemu.AccelTCG, CPU: "max", MemoryMB: 512, CPUs: 1, PackVersion: "1.0.0",
			},
			RunDir:  func() (string, error) { return "", errors.New("no machine is to be made") },
			OnState: func(vm.FactoryState) {}, BeforeBoot: func(context.Context) error { return errors.New("nothing is to be booted") },
		}
	}
	open := func(image string) *vmFactory {
		t.Helper()
		f, err := factories(spec(image))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
		return f.(*vmFactory)
	}
	save := func(f *vmFactory) {
		t.Helper()
		key, err := f.f.Key()
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.store.Stage(t.Context(), key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{template.RAM, template.State, template.Disk} {
			if err := os.WriteFile(g.Path(part), []byte(part), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := g.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	one, other := open("one"), open("other")
	if s := one.State(); s.Ready || s.Found || s.Err != nil || s.Mode != WarmTemplate {
		t.Errorf("with nothing: %+v", s)
	}
	save(one)
	save(other)
	if s := open("one").State(); !s.Ready || !s.Found || !s.Restores() || s.Bytes == 0 {
		t.Errorf("after an earlier run: %+v", s)
	}
	rt, err := one.Make(vm.Config{
		Hardware: spec("one").Hardware,
		Dir:      filepath.Join(cache, "x"), Env: vmhost.ExecutionEnv{OS: "linux", Sandbox: "vm", Network: vmhost.NetworkDeny},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := rt.(*vm.VM); !ok {
		t.Errorf("%T", rt)
	}
	sweep := SweepTemplates(cache)
	if err := sweep(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if !one.State().Ready || other.State().Ready {
		t.Errorf("swept for one: %+v, %+v", one.State(), other.State())
	}
	if err := sweep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if one.State().Ready {
		t.Error("swept for none, and one is left")
	}
}
