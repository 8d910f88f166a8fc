package machines

import (
	"testing"

	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
)

// A runtime that knows one way is not asked for another, whatever was chosen or proven.
func TestOnlyWay(t *testing.T) {
	c := vm.Config{Hardware: vm.Hardware{Image: qemu.Image{ID: "stock", Limits: qemu.Limits{No9PDevice: true}}}}
	var f deviceSharing
	if s := f.stands(keyOf(c)); s != (Share{Kind: ShareVirtioFS, Reason: ShareOnly}) {
		t.Errorf("%+v", s)
	}
	serve, ready := f.device(keyOf(c), func() error { return nil }, func() DeviceServer { return nil })
	if serve == nil || ready == nil {
		t.Error("not served as a device")
	}
}
