package updater

import "testing"

func TestCosts(t *testing.T) {
	for v, want := range map[any]bool{
		uint32(0): false, // NM_METERED_UNKNOWN
		uint32(1): true,  // YES
		uint32(2): false, // NO
		uint32(3): true,  // GUESS_YES
		uint32(4): false, // GUESS_NO
		int32(1):  false, // not of its type
		"yes":     false,
		nil:       false,
	} {
		if got := costs(v); got != want {
			t.Errorf("%T %v: %v", v, v, got)
		}
	}
	n := LookAtNetwork(t.Context()) // answers soon, whatever runs here
	if n.Offline == hasRoute(t.Context()) {
		t.Errorf("%+v", n)
	}
}
