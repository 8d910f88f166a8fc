package qemu

import (
	"slices"
	"testing"
)

func TestProcessor(t *testing.T) {
	const intel = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: X\nmicrocode\t: 0x1\ncpu MHz\t\t: 2100.0\nflags\t\t: fpu vme\nbogomips\t: 4200.00\n\n" +
		"processor\t: 1\nvendor_id\t: Other\n"
	want := []string{"vendor_id:GenuineIntel", "model name:X", "microcode:0x1", "flags:fpu vme"}
	if got := processor(intel); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := processor(""); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
