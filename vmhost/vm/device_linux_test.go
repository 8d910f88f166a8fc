package vm

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// echoDevice answers the fake guest's attach on the device's connection.
func echoDevice(ctx context.Context, l net.Listener) error {
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	c, err := l.Accept()
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	_ = echoFS(ctx, c)
	<-ctx.Done()
	return nil
}

// shares says that a VM's folders reach it in a way, and whether something was in
// the way of another one.
func shares(t *testing.T, v *VM, kind string, hindered bool) {
	t.Helper()
	got, why := v.Share()
	if got != kind || (why != nil) != hindered {
		t.Errorf("the folders reach it as %q, %v", got, why)
	}
	if r := reportOf(t, v); !strings.HasPrefix(r.Mounted, kind+" at /folders") || !strings.HasSuffix(r.Mounted, ": att") {
		t.Errorf("the guest has mounted %q", r.Mounted)
	}
	if _, err := os.Stat(filepath.Join(v.m.runDir, deviceSocket)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the device's socket: %v", err)
	}
}

// The end of the server of 9p is the end of the machine.
func TestServerOf9PEnds(t *testing.T) {
	c := fakeConfig(t, "good")
	fail, broken := make(chan struct{}), errors.New("the guest spoke no 9p")
	c.ServeFS = func(ctx context.Context, conn io.ReadWriteCloser) error {
		go func() { <-fail; conn.Close() }()
		return errors.Join(echoFS(ctx, conn), broken)
	}
	v := newVM(t, c)
	v.timing.evidence = quick.evidence // there is none
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	shares(t, v, Share9P, false)
	close(fail)
	select {
	case <-v.life.Context().Done():
	case <-soon(t).Done():
		t.Fatal("the VM goes on without its files")
	}
	var failed *vmhost.FailedError
	if err := v.Status().Err; !errors.As(err, &failed) || failed.Reason != vmhost.ReasonShare || !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// Whatever is in the way of a device, the same Connect ends with the folders
// there.
func TestDevice(t *testing.T) {
	refused := errors.New("not today")
	for _, tt := range []struct {
		name, guest string
		change      func(*Config)
		booted      string // how the folders reach a machine that was booted
		restored    string // and one that was restored
		hindered    bool
	}{
		{name: "there", guest: "good", booted: ShareVirtioFS, restored: ShareVirtioFS},
		{name: "not wanted", guest: "good", change: func(c *Config) { c.ServeDevice = nil }, booted: Share9P, restored: Share9P},
		{name: "a guest that knows none", guest: "knows no virtio-fs", booted: Share9P, restored: Share9P},
		{name: "a guest that cannot mount it", guest: "cannot mount a device", booted: Share9P, restored: Share9P, hindered: true},
		{name: "QEMU refuses it", guest: "takes no device", booted: Share9P, restored: Share9P, hindered: true},
		{name: "the folders cannot be opened for it", guest: "good", booted: Share9P, restored: Share9P, hindered: true,
			change: func(c *Config) { c.OpenFolders = func() error { return refused } }},
		{name: "they cannot be served to it", guest: "good", booted: Share9P, restored: Share9P, hindered: true,
			change: func(c *Config) {
				c.ServeDevice = func(_ context.Context, l net.Listener) error { return errors.Join(refused, l.Close()) }
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFactory(t, tt.guest).ensured()
			config := func() Config {
				c := h.config()
				c.ServeFS, c.ServeDevice = echoFS, echoDevice
				if tt.change != nil {
					tt.change(&c)
				}
				return c
			}
			shares(t, h.connected(config(), HowRestored), tt.restored, tt.hindered)
			if h.State().Phase != PhaseReady {
				t.Errorf("the template is blamed: %+v", h.State())
			}
			v := newVM(t, config())
			if err := v.Connect(soon(t)); err != nil {
				t.Fatal(err)
			}
			shares(t, v, tt.booted, tt.hindered)
		})
	}
}

// Where QEMU has no 9p device, virtio-fs is the one way: what is in its way is the end of
// connecting, and says so.
func TestNoOtherWay(t *testing.T) {
	for name, tt := range map[string]struct {
		guest  string
		serve  func(context.Context, net.Listener) error
		reason vmhost.Reason
		says   string // "" is that it works
	}{
		"there":                {"good", echoDevice, "", ""},
		"not wanted":           {"good", nil, vmhost.ReasonShare, ErrNoWay.Error()},
		"a guest without it":   {"knows no virtio-fs", echoDevice, vmhost.ReasonShare, ErrNoWay.Error()},
		"it cannot be mounted": {"cannot mount a device", echoDevice, vmhost.ReasonRefused, "no driver"},
		"QEMU refuses it":      {"takes no device", echoDevice, vmhost.ReasonHost, "no such device"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFactory(t, tt.guest, func(o *FactoryOptions) { o.Image.Limits.No9PDevice = true }).ensured()
			for _, how := range []string{HowRestored, HowBooted} {
				c := h.config()
				c.ServeFS, c.ServeDevice, c.Image.Limits.No9PDevice = echoFS, tt.serve, true
				v := newVM(t, c)
				if how == HowRestored {
					v = h.vm(c)
				}
				err := v.Connect(soon(t))
				if tt.says == "" {
					if err != nil {
						t.Fatal(err)
					}
					shares(t, v, ShareVirtioFS, false)
					continue
				}
				if failed, is := errors.AsType[*vmhost.FailedError](err); !is || failed.Reason != tt.reason || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: %v", how, err)
				}
			}
		})
	}
}

// A machine that ends over its device is replaced by one without, from the same
// template.
func TestDeviceEndsTheMachine(t *testing.T) {
	h := newFactory(t, "dies of the device").ensured()
	c := h.config()
	c.ServeFS, c.ServeDevice = echoFS, echoDevice
	v := h.connected(c, HowRestored)
	shares(t, v, Share9P, true)
}

func TestDeviceOfOneThatWaited(t *testing.T) {
	for _, ready := range []bool{true, false} {
		h := newFactory(t, "good", func(o *FactoryOptions) { o.ForDevice = func() bool { return ready } }).ensured()
		want := map[bool]string{true: ShareVirtioFS, false: Share9P}[ready]
		config := func() Config {
			c := h.config()
			c.ServeFS, c.ServeDevice = echoFS, echoDevice
			return c
		}
		if err := h.Expect(soon(t)); err != nil {
			t.Fatal(err)
		}
		shares(t, h.connected(config(), HowWaited), want, false)
		h.set(func(s *FactoryState) { s.Mode = ModeWaiting })
		h.ensured()
		shares(t, h.connected(config(), HowWaited), want, false)
		h.ensured()
		c := config() // and one that was ready for a device does without
		c.ServeDevice = nil
		shares(t, h.connected(c, HowWaited), Share9P, false)
	}
}

// The end of a device's server is the end of the machine; before the machine was
// ready it is a reason to do without.
func TestDeviceServerEnds(t *testing.T) {
	broken := errors.New("the guest broke its rings")
	c := fakeConfig(t, "good")
	c.ServeFS = echoFS
	c.ServeDevice = func(_ context.Context, l net.Listener) error { return errors.Join(broken, l.Close()) }
	v := newVM(t, c)
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	shares(t, v, Share9P, true)
	h := newFactory(t, "good").ensured()
	c = h.config()
	c.ServeFS = echoFS
	c.ServeDevice = func(_ context.Context, l net.Listener) error { return errors.Join(broken, l.Close()) }
	shares(t, h.connected(c, HowRestored), Share9P, true)

	for _, why := range []error{broken, nil} {
		c = fakeConfig(t, "good")
		c.ServeFS = echoFS
		fail := make(chan struct{})
		c.ServeDevice = func(ctx context.Context, l net.Listener) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { <-fail; cancel() }()
			return errors.Join(echoDevice(ctx, l), why)
		}
		v = newVM(t, c)
		v.timing.evidence = quick.evidence // there is none
		if err := v.Connect(soon(t)); err != nil {
			t.Fatal(err)
		}
		shares(t, v, ShareVirtioFS, false)
		close(fail)
		var failed *vmhost.FailedError
		select {
		case <-v.life.Context().Done():
		case <-soon(t).Done():
			t.Fatal("the VM goes on without its files")
		}
		if err := v.Status().Err; !errors.As(err, &failed) || failed.Reason != vmhost.ReasonShare || why != nil && !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
	}
}

// The server goes on until QEMU has ended: a guest whose device is gone would
// wait for ever.
func TestDeviceServerOutlivesTheMachine(t *testing.T) {
	c := fakeConfig(t, "good")
	c.ServeFS = echoFS
	var pid atomic.Int64
	c.ServeDevice = func(ctx context.Context, l net.Listener) error {
		err := echoDevice(ctx, l)
		if perr := syscall.Kill(int(pid.Load()), 0); !errors.Is(perr, syscall.ESRCH) {
			t.Errorf("QEMU was still there: %v", perr)
		}
		return err
	}
	v := newVM(t, c)
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	pid.Store(int64(v.PID()))
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
}

// A device needs memory that it can see, whatever its caller believes.
func TestDeviceIsNeverPluggedBlindly(t *testing.T) {
	h := newFactory(t, "good").ensured()
	c := h.config()
	c.ServeFS = echoFS
	v := h.connected(c, HowRestored)
	err := v.m.plugDevice(soon(t), wants{device: echoDevice})
	if !errors.Is(err, qemu.ErrUnseenMemory) {
		t.Errorf("%v", err)
	}
}
