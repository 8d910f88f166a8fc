package remote

import (
	"slices"
	"testing"
)

// The sockets in what is shown of the computer are found; abstract ones and those elsewhere are
// none of them.
func TestBoundIn(t *testing.T) {
	list := "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"ffff: 00000002 00000000 00010000 0001 01 1 /opt/db/my db.sock\n" +
		"ffff: 00000002 00000000 00010000 0001 01 2 /run/x.sock\n" +
		"ffff: 00000002 00000000 00010000 0001 01 3 @/opt/abstract\n" +
		"ffff: 00000002 00000000 00010000 0001 01 4 /nix/var/nix/daemon-socket/socket\n" +
		"ffff: 00000002 00000000 00010000 0001 01 5\n" +
		"ffff: 00000002 00000000 00010000 0001 01 6 /usr/../etc/s\n"
	if got, want := boundIn(list), []string{"opt/db/my db.sock", "etc/s"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if slices.Contains(shown, "nix") {
		t.Error("the socket of Nix's daemon is shown")
	}
}
