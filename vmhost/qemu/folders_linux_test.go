package qemu_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
)

// startPluggable starts a fake machine with some memory, and a socket beside it.
func startPluggable(t *testing.T, guest string, host string, ram *qemu.RAMFile) (*qemu.Process, net.Listener, string) {
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
	o := qemu.StartOptions{Spec: qemu.Spec{
		Host: host, Image: image, Accel: qemu.AccelTCG, MemoryMB: 16, RAM: ram, Console: filepath.Join(dir, "console.sock"),
	}}
	if ram != nil && ram.Handed {
		o.RAM = sharedRAM(t, 16).File()
	}
	p, err := qemu.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(t.Context()) })
	l, err := net.Listen("unix", filepath.Join(dir, "folders.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return p, l, filepath.Join(dir, "folders.sock")
}

func TestPlugFolders(t *testing.T) {
	p, l, socket := startPluggable(t, "takes folders", "linux", &qemu.RAMFile{Handed: true})
	if err := p.PlugFolders(t.Context(), socket); err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := make([]byte, 8)
	if n, err := c.Read(b); string(b[:n]) != "hello" {
		t.Errorf("the device says %q, %v", b[:n], err)
	}
}

// A device that could not see what the guest writes is not plugged.
func TestPlugFoldersWhereTheyCannotBe(t *testing.T) {
	private := filepath.Join(t.TempDir(), "ram")
	if err := errors.Join(os.WriteFile(private, nil, 0o600), os.Truncate(private, 16<<20)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, host string
		ram        *qemu.RAMFile
		want       error
	}{
		{"memory of QEMU's own", "linux", nil, qemu.ErrUnseenMemory},
		{"memory copied on write", "linux", &qemu.RAMFile{Path: private, Private: true}, qemu.ErrUnseenMemory},
		{"another system", "darwin", &qemu.RAMFile{Handed: true}, qemu.ErrNoFolderDevice},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _, socket := startPluggable(t, "takes folders", tt.host, tt.ram)
			if err := p.PlugFolders(t.Context(), socket); !errors.Is(err, tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// QEMU's refusal is an error with its words, and nothing more.
func TestPlugFoldersRefused(t *testing.T) {
	p, l, socket := startPluggable(t, "takes no device", "linux", &qemu.RAMFile{Handed: true})
	if err := p.PlugFolders(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "no such device") {
		t.Errorf("%v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.PlugFolders(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a socket on which nobody listens: %v", err)
	}
	if p.Exit() != nil {
		t.Error("the machine ended over it")
	}
}

func TestHandedMemory(t *testing.T) {
	for name, o := range map[string]qemu.StartOptions{
		"missing":     {Spec: qemu.Spec{MemoryMB: 16, RAM: &qemu.RAMFile{Handed: true}}},
		"too short":   {Spec: qemu.Spec{MemoryMB: 32, RAM: &qemu.RAMFile{Handed: true}}, RAM: sharedRAM(t, 16).File()},
		"private":     {Spec: qemu.Spec{MemoryMB: 16, RAM: &qemu.RAMFile{Handed: true, Private: true}}, RAM: sharedRAM(t, 16).File()},
		"with a name": {Spec: qemu.Spec{MemoryMB: 16, RAM: &qemu.RAMFile{Handed: true, Path: "/x"}}, RAM: sharedRAM(t, 16).File()},
	} {
		image, err := qemutest.Image("takes folders")
		if err != nil {
			t.Fatal(err)
		}
		o.Spec.Host, o.Spec.Image, o.Spec.Accel = "linux", image, qemu.AccelTCG
		var start *qemu.StartError
		if p, err := qemu.Start(t.Context(), o); !errors.As(err, &start) {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				_ = p.Stop(t.Context())
			}
		}
	}
}
