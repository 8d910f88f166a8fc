//go:build unix

package qemu_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
)

var mac = net.HardwareAddr{2, 0, 0, 0, 0, 1}

// startPorts starts a fake machine with some ports and returns a directory for
// sockets.
func startPorts(t *testing.T, guest string, names ...string) (*qemu.Process, string) {
	t.Helper()
	image, err := qemutest.Image(guest)
	if err != nil {
		t.Fatal(err)
	}
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove() })
	spec := qemu.Spec{Host: "linux", Image: image, Accel: qemu.AccelTCG, Console: filepath.Join(dir, "console.sock")}
	for _, n := range names {
		spec.Ports = append(spec.Ports, qemu.Port{Name: n, Socket: filepath.Join(dir, n)})
	}
	p, err := qemu.Start(t.Context(), qemu.StartOptions{Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(t.Context()) })
	return p, dir
}

func says(t *testing.T, c net.Conn, want string) {
	t.Helper()
	b := make([]byte, len(want))
	if _, err := io.ReadFull(c, b); err != nil || string(b) != want {
		t.Errorf("it says %q, %v", b, err)
	}
}

// A running machine is given ports and a card, each once, and their sockets are
// nobody else's to connect to.
func TestPlug(t *testing.T) {
	p, dir := startPorts(t, "takes all", "rpc", "fs")
	socket := filepath.Join(dir, "net.sock")
	port, err := p.PlugPort(t.Context(), "net", socket)
	if err != nil {
		t.Fatal(err)
	}
	says(t, port, "net")
	card, err := p.PlugNetwork(t.Context(), mac, filepath.Join(dir, "nic.sock"))
	if err != nil {
		t.Fatal(err)
	}
	says(t, card, "net")
	left, err := filepath.Glob(filepath.Join(dir, "n*.sock"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	for what, err := range map[string]error{
		"a port of that name":           second(p.PlugPort(t.Context(), "net", socket)),
		"a port of the machine's own":   second(p.PlugPort(t.Context(), "fs", socket)),
		"a port more than there can be": second(p.PlugPort(t.Context(), "more", socket)),
		"a second card":                 second(p.PlugNetwork(t.Context(), mac, socket)),
	} {
		if !errors.Is(err, qemu.ErrNoPlace) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := p.UnplugPort(t.Context(), "net"); err != nil {
		t.Error(err)
	}
	if _, err := port.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the connection of an unplugged port: %v", err)
	}
	if err := p.UnplugPort(t.Context(), "net"); err != nil {
		t.Errorf("unplugging what is not there: %v", err)
	}
	again, err := p.PlugPort(t.Context(), "again", socket)
	if err != nil {
		t.Fatal(err)
	}
	says(t, again, "again")
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []net.Conn{again, card} {
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the connection of a machine that was ended: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// QEMU's refusal is an error with its words, and leaves a place for another try.
func TestPlugRefused(t *testing.T) {
	p, dir := startPorts(t, "takes no device", "rpc")
	for range 3 {
		for what, err := range map[string]error{
			"port": second(p.PlugPort(t.Context(), "net", filepath.Join(dir, "net.sock"))),
			"card": second(p.PlugNetwork(t.Context(), mac, filepath.Join(dir, "nic.sock"))),
		} {
			if err == nil || !strings.Contains(err.Error(), "no such device") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	for what, err := range map[string]error{
		"port": second(p.PlugPort(t.Context(), "net", filepath.Join(dir, "none", "net.sock"))),
		"card": second(p.PlugNetwork(t.Context(), mac, filepath.Join(dir, "none", "nic.sock"))),
	} {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s without a directory: %v", what, err)
		}
	}
	if p.Exit() != nil {
		t.Error("the machine ended over it")
	}
}

// The 9p device of a machine has a connection of its own, of which nothing is left.
func TestFolders(t *testing.T) {
	s := machineSpec(t, "silent")
	p, err := qemu.Start(soon(t), qemu.StartOptions{Spec: s})
	if err != nil {
		t.Fatal(err)
	}
	if p.Folders() != nil {
		t.Error("folders of a machine without")
	}
	if err := p.Stop(soon(t)); err != nil {
		t.Error(err)
	}
	s = machineSpec(t, "takes 9p")
	s.Folders = filepath.Join(filepath.Dir(s.Console), "9p.sock")
	p, err = qemu.Start(soon(t), qemu.StartOptions{Spec: s})
	if err != nil {
		t.Fatal(err)
	}
	says(t, p.Folders(), "hello")
	folders := p.Folders()
	slept := make(chan error, 1)
	go func() {
		_, err := folders.Read(make([]byte, 1))
		slept <- err
	}()
	if err := p.Stop(soon(t)); err != nil {
		t.Error(err)
	}
	select {
	case err := <-slept:
		if err == nil {
			t.Error("read from a machine that was ended")
		}
	case <-soon(t).Done():
		t.Fatal("who reads sleeps on")
	}
	if _, err := folders.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the connection of a machine that was ended: %v", err)
	}
}
