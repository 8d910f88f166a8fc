package channel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// never is a clock at which nothing has expired.
var never = time.Unix(0, 0).UTC()

// stumbled hears of a panic of the library; tests make it one of their own, so
// that they see whether what is done before the library is called suffices.
var stumbled = func(any) {}

// guard turns a panic of the library into an error: whatever a server sends, the
// program goes on.
func guard[T any](call func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			stumbled(p)
			err = fmt.Errorf("go-tuf stumbled: %v", p)
		}
	}()
	return call()
}

// chain starts from the root compiled in and goes on along the roots in s as far
// as they verify. What does not belong to this root is dropped from s.
func chain(initial []byte, s *state) (*trustedmetadata.TrustedMetadata, error) {
	root, err := parseRoot(initial)
	if err != nil {
		return nil, explain("root.json", err)
	}
	t, err := guard(func() (*trustedmetadata.TrustedMetadata, error) { return trustedmetadata.New(initial) })
	if err != nil {
		return nil, explain("root.json", err)
	}
	later, before, same := successors(initial, root.Signed.Version, s)
	if !same { // another repository: what was learnt of it says nothing here
		*s = state{}
	}
	if before != nil && tookOut(before, &root.Signed) { // a newer program brought new keys
		s.Timestamp, s.Snapshot = nil, nil
	}
	s.Roots = [][]byte{initial}
	for _, data := range later {
		if err := nextRoot(t, data); err != nil {
			break // damaged; fetched again
		}
		s.Roots = append(s.Roots, data)
	}
	return t, nil
}

// successors returns the roots of s that come after version and the last one
// before it, and whether s can be of the same repository as initial.
func successors(initial []byte, version int64, s *state) (later [][]byte, before *metadata.RootType, same bool) {
	for i, data := range s.Roots {
		m, err := parseRoot(data)
		if err != nil {
			return nil, before, true
		}
		switch v := m.Signed.Version; {
		case v == version:
			return s.Roots[i+1:], nil, sameSigned(m, initial)
		case v > version: // this program is older than the one before
			return nil, nil, true
		}
		before = &m.Signed
	}
	return nil, before, true
}

// sameSigned tells whether two roots say the same; one may have more signatures.
func sameSigned(a *metadata.Metadata[metadata.RootType], other []byte) bool {
	b, err := parseRoot(other)
	if err != nil {
		return false
	}
	x, errX := json.Marshal(a.Signed)
	y, errY := json.Marshal(b.Signed)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// nextRoot verifies the successor of t's root, signed by both.
func nextRoot(t *trustedmetadata.TrustedMetadata, data []byte) error {
	if _, err := parseRoot(data); err != nil {
		return err
	}
	_, err := guard(func() (any, error) { return t.UpdateRoot(data) })
	return err
}

// tookOut tells whether a root took a key of timestamp or snapshot away, which
// is how a repository recovers from a thief of it, who signed the highest version numbers
// (fast-forward): what was seen before is forgotten then.
func tookOut(before, after *metadata.RootType) bool {
	for _, role := range []string{metadata.TIMESTAMP, metadata.SNAPSHOT} {
		for _, id := range before.Roles[role].KeyIDs {
			if !slices.Contains(after.Roles[role].KeyIDs, id) {
				return true
			}
		}
	}
	return false
}
