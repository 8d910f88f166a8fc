package updater

import (
	"testing"
	"testing/synctest"
)

// Installing from a file, going back and repairing from a file ask the channel
// nothing, also where it would answer (P8). A test without a network does not show
// it: who asks there, and goes on without an answer, looks the same.
func TestInstallingAsksNobody(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0", "1.2.0").addOn(t)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.offer("1.2.0")
		k := r.open()
		defer k.Close()
		for _, name := range []string{"1.1.0", "media/1.1.0"} {
			if _, err := k.Install(t.Context(), s.packs[name].File, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := k.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
		spoil(t, r.store(), "1.0.0", "guest/vmlinux")
		if _, err := k.Repair(t.Context(), s.packs["1.0.0"].File); err != nil {
			t.Error(err)
		}
		r.settle()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.refreshs != 0 || r.offers != 0 {
			t.Errorf("asked %d times, fetched %d times", r.refreshs, r.offers)
		}
	})
}
