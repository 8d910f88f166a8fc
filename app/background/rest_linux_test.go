package background

import (
	"slices"
	"testing"
)

// What the dynamic linker has written to is kept, and what anybody may write to.
func TestUnchanged(t *testing.T) {
	const smaps = `00400000-00401000 r--p 00000000 fe:00 12 /usr/bin/piwork
Rss:                   4 kB
Anonymous:             0 kB
00401000-00500000 r-xp 00001000 fe:00 12 /usr/bin/piwork
Anonymous:             0 kB
VmFlags: rd ex mr mw me
02daa000-02dab000 r--p 02daa000 fe:00 12 /usr/bin/piwork
Anonymous:             4 kB
02dab000-02dac000 rw-p 02dab000 fe:00 12 /usr/bin/piwork
Anonymous:             0 kB
7f0000000000-7f0000001000 r-xp 00000000 fe:00 13 /usr/lib/libc.so.6
Anonymous:             0 kB
7f0000002000-7f0000003000 r--p 00000000 00:00 0
Anonymous:             0 kB
`
	if got, want := unchanged(smaps, "/usr/bin/piwork"), []span{{0x400000, 0x401000}, {0x401000, 0x500000}}; !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	giveBack()
	giveBack() // and this program goes on
}
