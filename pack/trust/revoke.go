package trust

import (
	"fmt"
	"slices"
)

// maxRevoked bounds the revocations in a ring.
const maxRevoked = 256

// Revocation says that a key is not to be trusted any more, whoever vouches for
// it.
type Revocation struct {
	ID     string // KeyID of the key
	Reason string // for people, may be ""

	key *Key // its public part, where it is known: it tells ErrRevoked from ErrNoMatch
}

func (v Revocation) String() string {
	s := "key " + v.ID[:min(16, len(v.ID))] + "…"
	if v.key != nil {
		s = v.key.Name + " (" + s + ")"
	}
	if v.Reason != "" {
		s += ", " + v.Reason
	}
	return s
}

// Without returns a ring that trusts what r trusts, but for the revoked keys.
// Revocations of r stay, and the first one of a key counts. r is not changed.
func (r *KeyRing) Without(revoked ...Revocation) (*KeyRing, error) {
	out := &KeyRing{revoked: r.Revocations()}
	for _, v := range revoked {
		if _, have := out.Revoked(v.ID); have {
			continue
		}
		if k, ok := r.ByID(v.ID); ok {
			v.key = &k
		}
		if len(out.revoked) == maxRevoked {
			return nil, fmt.Errorf("more than %d revoked keys", maxRevoked)
		}
		out.revoked = append(out.revoked, v)
	}
	for _, k := range r.Keys() {
		if _, gone := out.Revoked(k.ID); !gone {
			out.keys = append(out.keys, k)
		}
	}
	return out, nil
}

// Revocations returns the keys that the ring knows as revoked; nil when r is nil.
func (r *KeyRing) Revocations() []Revocation {
	if r == nil {
		return nil
	}
	return slices.Clone(r.revoked)
}

// Revoked returns the revocation of the key with that [KeyID].
func (r *KeyRing) Revoked(id string) (Revocation, bool) {
	for _, v := range r.Revocations() {
		if v.ID == id {
			return v, true
		}
	}
	return Revocation{}, false
}
