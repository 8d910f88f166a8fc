package image

import (
	"cmp"
	"sync"
	"testing"

	"piwork/pack/trust"
)

// TestDeveloperSigner: builds that begin at once on a new computer all sign with the one key
// that the first of them makes.
func TestDeveloperSigner(t *testing.T) {
	dir := t.TempDir()
	var signers [8]*trust.Signer
	var made [8]bool
	var wg sync.WaitGroup
	for i := range signers {
		wg.Go(func() {
			var err error
			if signers[i], made[i], err = DeveloperSigner(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	first, n := "", 0
	for i, s := range signers {
		public, err := s.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		id, err := trust.KeyID(public)
		if err != nil {
			t.Fatal(err)
		}
		first = cmp.Or(first, id)
		if id != first {
			t.Errorf("another key: %s", id)
		}
		if made[i] {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d say that they made it", n)
	}
}
