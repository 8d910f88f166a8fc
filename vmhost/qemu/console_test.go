package qemu

import "testing"

func TestConsoleMarks(t *testing.T) {
	const panics = "[    1.2] Kernel panic - not syncing: "
	for _, tt := range []struct {
		name                     string
		text                     string
		ready, panicked, damaged bool
		damage                   string
	}{
		{"nothing", "", false, false, false, ""},
		{"ready", "x\r\nREADY\r\n", true, false, false, ""},
		{"ready within a line", "not READY\n", false, false, false, ""},
		{"panic", panics + "Fatal exception\r\n", false, true, false, ""},
		{"half a line", panics, false, false, false, ""},
		{"verity", "[    1.1] device-mapper: verity: 254:0: data block 7 is corrupted\r\n" + panics + "dm-verity device corrupted\r\n", false, true, true, "254:0: data block 7 is corrupted"},
		{"verity cannot read", panics + "dm-verity device has I/O error\n", false, true, true, "dm-verity stopped the machine"},
		{"verity at work", "[    1.1] device-mapper: verity: sha256 using implementation \"sha256-generic\"\n", false, false, false, "sha256 using implementation \"sha256-generic\""},
		{"agent", "DAMAGED the image is damaged: /dev/vda has 1 bytes of 2\r\n", false, false, true, "the image is damaged: /dev/vda has 1 bytes of 2"},
		{"agent within a line", "it is not DAMAGED at all\n", false, false, false, ""},
		{"twice", "DAMAGED a\nDAMAGED b\n" + panics + "x\n" + panics + "y\n", false, true, true, "b"},
		{"not printable", "DAMAGED \x1b[2J\xff\n", false, false, true, "?[2J?"},
	} {
		c := newConsole()
		for _, b := range []byte(tt.text) { // byte by byte, as it may come
			_, _ = c.Write([]byte{b})
		}
		if closed(c.Ready()) != tt.ready || closed(c.Panicked()) != tt.panicked || closed(c.Damaged()) != tt.damaged || c.Damage() != tt.damage {
			t.Errorf("%s: ready %v, panicked %v, damaged %v: %q", tt.name, closed(c.Ready()), closed(c.Panicked()), closed(c.Damaged()), c.Damage())
		}
	}
}
