//go:build vm && linux

package vm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/digitalocean/go-qemu/qmp"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/wire"
)

// sharedVM is a VM of a kind of share that began as wanted.
func sharedVM(t *testing.T, f *Factory, s *shared, how, kind string) *VM {
	t.Helper()
	c := realConfig(t)
	c.MemoryMB = 512
	s.config(&c)
	switch kind {
	case ShareVirtioFS:
		s.asDevice(&c)
	case Share9P:
		packtest.Needs9P(t)
	}
	v := realVM(t, c)
	if how == HowRestored {
		v.factory = f
	}
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	if err := v.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	if got, why := v.Share(); v.How() != how || got != kind || why != nil {
		t.Fatalf("%s, %q: %v", v.How(), got, why)
	}
	return v
}

// everyWay does a test with machines of every kind.
func everyWay(t *testing.T, f *Factory, test func(t *testing.T, s *shared, v *VM)) {
	for _, how := range beginnings {
		for _, kind := range tier.Pick([]string{ShareVirtioFS}, nil, []string{Share9P, ShareVirtioFS}) {
			t.Run(how+", "+kind, func(t *testing.T) {
				s := newShared(t)
				s.add(t, "one")
				test(t, s, sharedVM(t, f, s, how, kind))
			})
		}
	}
}

// The same over either way: one suite for both.
func TestDeviceConformsForReal(t *testing.T) {
	f := realFactory(t)
	runtimetest.Run(t, runtimetest.Target{
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := realConfig(t)
			c.Env, c.OnStatus, c.MemoryMB = env, onStatus, 512
			host := t.TempDir()
			set := share.NewSet(share.Options{})
			t.Cleanup(set.Close)
			if _, err := set.Add(share.Folder{ID: "1", Path: host, Name: "folder", ReadOnly: true}, nil); err != nil {
				t.Fatal(err)
			}
			(&shared{set: set}).asDevice(&c)
			c.Folders, c.Log = nil, slog.New(slog.NewTextHandler(testWriter{t}, nil))
			v := realVM(t, c)
			v.factory = f
			return v
		},
		Folders: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime {
			c, s := realConfig(t), newShared(t)
			s.asDevice(&c)
			c.Env, c.OnStatus, c.MemoryMB = env, onStatus, 512
			folders := hostedtest.Share(t, rw, ro)
			s.set, c.Folders = folders.Set, folders.View
			return realVM(t, c)
		},
		Patience: stall, Slow: true,
	})
}

// A person and a task work in the same folder, and folders come and go while they
// do; afterwards what the task did can be undone.
func TestSharedWorkForReal(t *testing.T) {
	everyWay(t, realFactory(t), func(t *testing.T, s *shared, v *VM) {
		one := filepath.Join(s.dir, "one")
		// What the person does is there with the next call.
		for i := range 5 {
			text := strings.Repeat("x", i+1)
			err := os.WriteFile(filepath.Join(one, "new"), []byte(text), 0o644)
			if err == nil {
				err = os.Rename(filepath.Join(one, "new"), filepath.Join(one, "edited"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := shell(t, v, "cd /folders/one; cat edited; stat -c %s edited"); got != text+fmt.Sprint("\n", len(text)) && got != text+fmt.Sprint(len(text)) {
				t.Errorf("%q instead of %q", got, text)
			}
		}
		// So is what the task does, renamed while it is open.
		if got := shell(t, v, `cd /folders/one; exec 3>>name; printf ' more' >&3; mv name other; printf ' and more' >&3; cat other; mkdir d; mv other d/; rm edited; ls`); got != "one more and mored" {
			t.Errorf("%q", got)
		}
		if b, err := os.ReadFile(filepath.Join(one, "d", "other")); string(b) != "one more and more" {
			t.Errorf("%q %v", b, err)
		}
		// A pause, with the device and over and over.
		for range 3 {
			if err := v.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := v.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			shell(t, v, "cat /folders/one/d/other")
		}
		s.add(t, "two")
		if got := shell(t, v, "ls /folders; cat /folders/two/name; echo x > /folders/two/new"); got != "one\ntwo\ntwo" {
			t.Errorf("a folder that was added: %q", got)
		}
		s.set.Remove("two")
		if got := shell(t, v, "cat /folders/two/name 2>/dev/null; sleep 1.5; ls /folders; touch /folders/two/x 2>/dev/null || echo gone"); got != "one\ngone" {
			t.Errorf("a folder that was removed: %q", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := v.Close(ctx); err != nil {
			t.Error(err)
		}
		if r, err := s.log.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
			t.Errorf("undo: %+v %v", r, err)
		}
		if b, err := os.ReadFile(filepath.Join(one, "name")); string(b) != "one" {
			t.Errorf("after undo: %q %v", b, err)
		}
		if b, err := os.ReadFile(filepath.Join(one, "edited")); string(b) != "xxxxx" {
			t.Errorf("after undo: %q %v", b, err)
		}
	})
}

// breakRing says in the guest's memory, over and over, that the ring of the
// device's requests has more in it than it is long, as a guest can whose kernel
// was taken over.
func breakRing(v *VM) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var queue struct {
		Avail int64 `json:"avail-phys"`
	}
	// The command for any device would ask the server, and stop the ring by that.
	err := v.m.proc.Monitor().Do(ctx, qmp.Command{Execute: "x-query-virtio-vhost-queue-status", Args: map[string]any{
		"path": "/machine/peripheral/folders/virtio-backend", "queue": 1,
	}}, &queue)
	if err == nil && queue.Avail == 0 {
		err = errors.New("the ring is nowhere")
	}
	if err != nil {
		return err
	}
	// Below 3 GiB the address in the guest is that in the file.
	ram, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/3", v.PID()), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	go func() {
		defer ram.Close()
		var idx [2]byte
		_, err := ram.ReadAt(idx[:], queue.Avail+2) // struct virtq_avail.idx
		// Always the same: one that came round to the true one now and then could take a
		// request away without being seen, and nobody would ever ask again.
		binary.LittleEndian.PutUint16(idx[:], binary.LittleEndian.Uint16(idx[:])+0x7000)
		for err == nil && v.life.Context().Err() == nil {
			_, err = ram.WriteAt(idx[:], queue.Avail+2)
		}
	}()
	return nil
}

// What goes wrong with a device has a reason, in bounded time, leaves nothing
// (realVM looks), and does nothing to other machines.
func TestDeviceFaultsForReal(t *testing.T) {
	f := realFactory(t)
	for _, how := range beginnings {
		other := newShared(t)
		other.add(t, "one")
		beside := sharedVM(t, f, other, HowRestored, ShareVirtioFS)
		for _, tt := range []struct {
			name   string
			do     func(v *VM, end func()) error
			reason vmhost.Reason
		}{
			{"the server ends", func(_ *VM, end func()) error { end(); return nil }, vmhost.ReasonShare},
			{"the guest breaks its ring", func(v *VM, _ func()) error { return breakRing(v) }, vmhost.ReasonShare},
			{"QEMU is killed", func(v *VM, _ func()) error { return syscall.Kill(v.PID(), syscall.SIGKILL) }, vmhost.ReasonExited},
			{"QEMU stands still", func(v *VM, _ func()) error { return syscall.Kill(v.PID(), syscall.SIGSTOP) }, vmhost.ReasonHung},
		} {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				if tt.name != "the guest breaks its ring" {
					tier.Rest(t, "a guest that breaks its ring")
				}
				s := newShared(t)
				s.add(t, "one")
				c := realConfig(t)
				c.MemoryMB = 512
				s.asDevice(&c)
				serving, end := context.WithCancel(t.Context())
				defer end()
				c.ServeDevice = func(ctx context.Context, l net.Listener) error {
					defer context.AfterFunc(ctx, end)()
					return virtiofs.Serve(serving, l, s.set, virtiofs.Options{Log: c.Log})
				}
				v := realVM(t, c)
				if how == HowRestored {
					v.factory = f
				}
				v.timing.ping, v.timing.hung = 200*time.Millisecond, 3*time.Second
				ctx, cancel := context.WithTimeout(t.Context(), stall)
				defer cancel()
				if err := v.Connect(ctx); err != nil {
					t.Fatal(err)
				}
				if kind, why := v.Share(); kind != ShareVirtioFS || v.How() != how {
					t.Fatal(v.How(), kind, why)
				}
				ended := make(chan error, 1)
				go func() { // what a task does meanwhile
					_, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "while :; do ls /folders/one; echo x > /folders/one/x; done"}}})
					ended <- err
				}()
				<-time.After(300 * time.Millisecond)
				began := time.Now()
				if err := tt.do(v, end); err != nil {
					t.Fatal(err)
				}
				var e *vmhost.FailedError
				if err := <-ended; !errors.As(err, &e) || e.Reason != tt.reason {
					t.Errorf("Execute: %v", err)
				}
				select {
				case <-v.life.Ended():
				case <-ctx.Done():
					t.Fatal("the machine does not end")
				}
				t.Logf("ended after %v: %v", time.Since(began).Round(time.Millisecond), e)
				if got := shell(t, beside, "cat /folders/one/name"); got != "one" {
					t.Errorf("another machine: %q", got)
				}
			})
		}
		if err := beside.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A machine whose virtio-fs cannot be served is the same task's over 9p; where that is not,
// it fails with the reason, and the template is not blamed.
func TestNoDeviceForReal(t *testing.T) {
	f := realFactory(t)
	for name, serve := range map[string]func(context.Context, net.Listener) error{
		"the server fails": func(_ context.Context, l net.Listener) error { return errors.Join(errors.New("no"), l.Close()) },
		"the server says nothing": func(ctx context.Context, l net.Listener) error {
			<-ctx.Done()
			return l.Close()
		},
		"the server hangs up": func(ctx context.Context, l net.Listener) error {
			c, err := l.Accept()
			if err == nil {
				_, err = io.CopyN(io.Discard, c, 12)
				_ = c.Close()
			}
			<-ctx.Done()
			return errors.Join(err, l.Close())
		},
	} {
		for _, how := range beginnings {
			t.Run(name+", "+how, func(t *testing.T) {
				if name != "the server fails" {
					tier.Rest(t, "a server that fails")
				}
				s := newShared(t)
				s.add(t, "one")
				c := realConfig(t)
				c.MemoryMB, c.BootTime = 512, 0 // no longer than it has to
				s.config(&c)
				c.ServeDevice = serve
				v := realVM(t, c)
				if how == HowRestored {
					v.factory = f
				}
				ctx, cancel := context.WithTimeout(t.Context(), stall)
				defer cancel()
				began := time.Now()
				err := v.Connect(ctx)
				if c.Image.Limits.No9PDevice {
					if e, is := errors.AsType[*vmhost.FailedError](err); !is || e.Reason != vmhost.ReasonShare && e.Reason != vmhost.ReasonHost || f.State().Phase != PhaseReady {
						t.Errorf("%v, %+v", err, f.State())
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				kind, why := v.Share()
				t.Logf("%s over %s after %v: %v", v.How(), kind, time.Since(began).Round(time.Millisecond), why)
				if v.How() != how || kind != Share9P || why == nil {
					t.Errorf("%s, %q: %v", v.How(), kind, why)
				}
				if got := shell(t, v, "cat /folders/one/name; grep -c /folders /proc/mounts"); got != "one1" {
					t.Errorf("%q", got)
				}
				if f.State().Phase != PhaseReady {
					t.Errorf("the template is blamed: %+v", f.State())
				}
			})
		}
	}
}

// The memory that a device sees is a copy: what one guest has in it, no other one
// and no template sees.
func TestDeviceMemoryIsItsOwnForReal(t *testing.T) {
	f := realFactory(t)
	tpl, err := f.lookup()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(tpl.Path("ram"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 2 {
		s := newShared(t)
		s.add(t, "one")
		v := sharedVM(t, f, s, HowRestored, ShareVirtioFS)
		ids = append(ids, shell(t, v, "head -c 32 /dev/urandom | od -An -tx1; cat /proc/sys/kernel/random/boot_id /etc/machine-id"))
		if left, err := filepath.Glob(filepath.Join(v.cfg.Dir, "*")); err != nil || len(left) != 4 {
			t.Errorf("besides its disk and its logs: %q, %v", left, err)
		}
	}
	if ids[0] == ids[1] {
		t.Errorf("two machines share %q", ids[0])
	}
	if after, err := os.ReadFile(tpl.Path("ram")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the template changed: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
