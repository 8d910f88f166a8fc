//go:build vm && linux

package qemu_test

import (
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// template is a saved machine of the real pack.
type template struct {
	t     *testing.T
	image qemu.Image
	dir   string
	cold  time.Duration // from the start of the machine that was saved to its first reply

	coldPSS int64 // of the machine that was saved, MiB
}

const templateMB = 512

func (m *template) ram() string     { return filepath.Join(m.dir, "ram") }
func (m *template) state() string   { return filepath.Join(m.dir, "state") }
func (m *template) overlay() string { return filepath.Join(m.dir, "overlay.qcow2") }

// machineSpec is a machine in a directory of its own.
func (m *template) machineSpec(t *testing.T) qemu.Spec {
	t.Helper()
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove() })
	return qemu.Spec{
		Host: "linux", Image: m.image, Accel: qemu.AccelTCG, MemoryMB: templateMB, Console: filepath.Join(dir, "console.sock"),
		Ports: []qemu.Port{{Name: wire.PortRPC, Socket: filepath.Join(dir, "rpc.sock")}},
	}
}

// restored is a Spec of a machine that is restored, with an overlay of its own.
func (m *template) restored(t *testing.T) qemu.Spec {
	t.Helper()
	s := m.machineSpec(t)
	s.RAM, s.Incoming = &qemu.RAMFile{Path: m.ram(), Private: true}, true
	s.Overlay = filepath.Join(t.TempDir(), "overlay.qcow2")
	if err := qemu.CloneOverlay(s.Overlay, m.overlay()); err != nil {
		t.Fatal(err)
	}
	return s
}
