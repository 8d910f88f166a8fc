package vm

import (
	"testing"

	"piwork/vmhost/qemu"
)

func TestDamagedImage(t *testing.T) {
	with := &machine{Hardware: Hardware{Image: qemu.Image{AddOns: []qemu.Layer{{Name: "media"}, {Name: "office"}}}}}
	without := &machine{}
	for _, tt := range []struct {
		m          *machine
		what, want string
	}{
		{without, "254:0: data block 7 is corrupted", "base"},
		{without, "the image is damaged: /dev/vda has 1 bytes of 2", "base"},
		{without, "dm-verity stopped the machine", "base"},
		{with, "254:0: metadata block 7 is corrupted", "base"},
		{with, "254:32: data block 7 is corrupted", "media"},
		{with, "253:48: data block 7 is corrupted", "office"},
		{with, "layer office: the image is damaged: /dev/vdd has 1 bytes of 2", "office"},
		// What a hostile guest may say names no more than there is.
		{with, "dm-verity stopped the machine", ""},
		{with, "254:16: data block 7 is corrupted", ""},
		{with, "254:64: data block 7 is corrupted", ""},
		{with, "254:99999999999999999999: data block 7 is corrupted", ""},
		{with, "layer ../../x: the image is damaged", ""},
		{with, "layer other: the image is damaged", ""},
		{without, "254:32: data block 7 is corrupted", ""},
		{with, "", ""},
	} {
		if got := tt.m.damagedImage(tt.what); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.what, got, tt.want)
		}
	}
}
