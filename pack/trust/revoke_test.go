package trust

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestRevocation: a revoked key signs nothing, is named as such, and comes back
// by no way.
func TestRevocation(t *testing.T) {
	old, so := pair(t, "release-2025", Release)
	kept, sk := pair(t, "release-2026", Release)
	foreign, sf := pair(t, "foreign", Release)
	ring, err := NewKeyRing(old, kept)
	if err != nil {
		t.Fatal(err)
	}
	less, err := ring.Without(Revocation{ID: old.ID, Reason: "stolen"}, Revocation{ID: foreign.ID}, Revocation{ID: old.ID, Reason: "again"})
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte("manifest")
	for _, tc := range []struct {
		name string
		ring *KeyRing
		sig  []byte
		want error
	}{
		{"before", ring, sign(t, so, msg), nil},
		{"revoked", less, sign(t, so, msg), ErrRevoked},
		{"revoked, other bytes", less, sign(t, so, []byte("other")), ErrNoMatch},
		{"kept", less, sign(t, sk, msg), nil},
		{"a key that was never trusted", less, sign(t, sf, msg), ErrNoMatch},
	} {
		if _, err := tc.ring.Verify(msg, tc.sig); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
	_, err = less.Verify(msg, sign(t, so, msg))
	if err == nil || !strings.Contains(err.Error(), "release-2025") || !strings.Contains(err.Error(), "stolen") {
		t.Errorf("the refusal does not say which key and why: %v", err)
	}
	if v, ok := less.Revoked(foreign.ID); !ok || v.Reason != "" {
		t.Errorf("the revocation of an unknown key is lost: %v %v", v, ok)
	}
	if again, err := less.Without(); err != nil || len(again.Revocations()) != 2 || len(again.Keys()) != 1 {
		t.Errorf("revocations do not stay: %v %v", again, err)
	}
	var many []Revocation
	for i := range maxRevoked + 1 {
		many = append(many, Revocation{ID: fmt.Sprintf("%064x", i)})
	}
	if _, err := ring.Without(many...); err == nil {
		t.Error("revocations without a bound")
	}
	var none *KeyRing
	if _, err := none.Without(many[0]); err != nil {
		t.Error(err)
	}
}
