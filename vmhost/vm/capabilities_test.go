package vm

import (
	"path/filepath"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// A machine in the slow mode is emulated: it does not say that the processor keeps it
// apart.
func TestIsolation(t *testing.T) {
	for accel, want := range map[qemu.Accel]vmhost.Isolation{
		qemu.AccelKVM: vmhost.IsolationHardware, qemu.AccelHVF: vmhost.IsolationHardware, qemu.AccelWHPX: vmhost.IsolationHardware,
		qemu.AccelTCG: vmhost.IsolationEmulated,
	} {
		v, err := New(Config{Dir: filepath.Join(t.TempDir(), "vm"), Hardware: Hardware{Accel: accel,
			Image: qemu.Image{Program: []string{"qemu"}, Kernel: "k", RootFS: "r", WorkBase: "w"}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Capabilities().Isolation; got != want {
			t.Errorf("%s: %s, want %s", accel, got, want)
		}
	}
}
