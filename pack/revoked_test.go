package pack

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// TestRevokedKey: a pack whose key was revoked is refused as such, whether the
// ring still knows the key or only its id, fresh and installed.
func TestRevokedKey(t *testing.T) {
	f := newForger(t)
	key := f.keys.Keys()[0]
	known, err := f.keys.Without(trust.Revocation{ID: key.ID, Reason: "stolen"})
	if err != nil {
		t.Fatal(err)
	}
	var none *trust.KeyRing
	byID, err := none.Without(trust.Revocation{ID: key.ID})
	if err != nil {
		t.Fatal(err)
	}
	a := f.plain()
	a.m.Key = key.ID
	file := filepath.Join(t.TempDir(), "pack")
	if err := os.WriteFile(file, f.archive(a), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(filepath.Join(t.TempDir(), "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Install(t.Context(), file, s, f.keys, InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, ring := range map[string]*trust.KeyRing{"its key is known": known, "its id is known": byID} {
		t.Run(name, func(t *testing.T) {
			if _, err := VerifyFile(t.Context(), file, ring, VerifyOptions{}); spec.KindOf(err) != spec.KindRevokedKey {
				t.Errorf("verify: %v", err)
			}
			if _, err := s.Open("1.0.0", ring, spec.Policy{}); spec.KindOf(err) != spec.KindRevokedKey {
				t.Errorf("open: %v", err)
			}
		})
	}
}
