//go:build unix

package vm

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// cached has a configuration with a cache.
func cached(t *testing.T, c Config) Config {
	t.Helper()
	base := workBase(t)
	top := filepath.Join(t.TempDir(), "top.qcow2")
	if err := qemu.CreateOverlay(top, base); err != nil {
		t.Fatal(err)
	}
	c.Cache = &Cache{Files: []string{top, base}, LimitMB: 1024}
	return c
}

// However a machine begins, it is given the cache that its task has, and a machine that
// was closed well has written it.
func TestCache(t *testing.T) {
	h := newFactory(t, "good").ensured()
	for _, how := range []string{HowRestored, HowBooted} {
		var v *VM
		if how == HowRestored {
			v = h.connected(cached(t, h.config()), HowRestored)
		} else if v = newVM(t, cached(t, fakeConfig(t, "good"))); v.Connect(soon(t)) != nil {
			t.Fatal(v.Status())
		}
		r := reportOf(t, v)
		if !slices.Equal(r.Linked, []string{"cache: cache 1024"}) {
			t.Errorf("%s: %q", how, r.Linked)
		}
		if args := strings.Join(r.Args, " "); strings.Contains(args, "top.qcow2") {
			t.Errorf("%s: the template knows of it: %s", how, args)
		}
		if v.PoweredOff() {
			t.Errorf("%s: it is off while it runs", how)
		}
		if err := v.Close(soon(t)); err != nil || !v.PoweredOff() {
			t.Errorf("%s: %v, off %t", how, err, v.PoweredOff())
		}
	}
}

// A machine that was killed has written what it may have.
func TestCacheOfOneThatIsKilled(t *testing.T) {
	for guest, close := range map[string]func(*VM) error{
		"good":               func(v *VM) error { return v.Close(noTime()) },
		"will not power off": func(v *VM) error { v.timing.shutdown = 1; v.m.timing.shutdown = 1; return v.Close(soon(t)) },
	} {
		v := newVM(t, cached(t, fakeConfig(t, guest)))
		if err := v.Connect(soon(t)); err != nil {
			t.Fatal(err)
		}
		if err := close(v); err != nil || v.PoweredOff() {
			t.Errorf("%s: %v, off %t", guest, err, v.PoweredOff())
		}
	}
}

// A guest without caches, and files that are none, are refused by their names.
func TestCacheRefused(t *testing.T) {
	refused := func(guest string, change func(*Config), words string, reason vmhost.Reason) {
		t.Helper()
		c := cached(t, fakeConfig(t, guest))
		change(&c)
		err := newVM(t, c).Connect(soon(t))
		failed, _ := err.(*vmhost.FailedError)
		if failed == nil || failed.Reason != reason || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", guest, err)
		}
	}
	refused("knows no links", func(*Config) {}, wire.CanCache, vmhost.ReasonVersion)
	refused("has no links", func(*Config) {}, "no such driver", vmhost.ReasonRefused)
	refused("takes no device", func(*Config) {}, "no such device", vmhost.ReasonHost)
	refused("good", func(c *Config) { c.Cache.Files[0] = filepath.Join(t.TempDir(), "gone") }, "gone", vmhost.ReasonHost)
	for name, bad := range map[string]Cache{
		"no files": {LimitMB: 1024}, "one file": {Files: []string{"/a"}, LimitMB: 1024}, "no bound": {Files: []string{"/a", "/b"}},
		"a path that depends": {Files: []string{"a", "/b"}, LimitMB: 1024},
	} {
		c := fakeConfig(t, "good")
		c.Cache = &bad
		if _, err := New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
