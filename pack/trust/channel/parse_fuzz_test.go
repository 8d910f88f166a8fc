package channel

import (
	"encoding/json"
	"testing"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// FuzzParse hands bytes to every parser of metadata, with the library's panics
// unguarded, and on to the steps that a client would take with them.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"signatures":[{"keyid":"0000000000000000000000000000000000000000000000000000000000000000","sig":"00"}],"signed":{"_type":"targets","spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z","targets":{"a":{"length":1,"hashes":{"sha256":"0000000000000000000000000000000000000000000000000000000000000000"}}},"delegations":{"keys":{},"roles":[]}}}`))
	f.Add([]byte(`{"signatures":[{"keyid":"0000000000000000000000000000000000000000000000000000000000000000","sig":"00"}],"signed":{"_type":"timestamp","spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z","meta":{"snapshot.json":{"version":1,"length":1,"hashes":{"sha256":"0000000000000000000000000000000000000000000000000000000000000000"}}}}}`))
	f.Add([]byte(`{"signatures":[{"keyid":"0000000000000000000000000000000000000000000000000000000000000000","sig":"00"}],"signed":{"_type":"snapshot","spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z","meta":{"targets.json":{"version":1,"length":1,"hashes":{"sha256":"0000000000000000000000000000000000000000000000000000000000000000"}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if root, err := parseRoot(data); err == nil {
			for _, role := range root.Signed.Roles {
				if role.Threshold < 1 || role.Threshold > len(role.KeyIDs) {
					t.Errorf("threshold %d of %d keys", role.Threshold, len(role.KeyIDs))
				}
			}
			_ = root.VerifyDelegate(metadata.ROOT, root)
			_, _ = trustedmetadata.New(data)
		}
		if m, err := parseTimestamp(data); err == nil {
			_ = m.Signed.Meta["snapshot.json"].VerifyLengthHashes(data)
			again(t, m)
		}
		if m, err := parseSnapshot(data); err == nil {
			_ = m.Signed.Meta["targets.json"].VerifyLengthHashes(data)
			again(t, m)
		}
		if m, err := parseTargets(data); err == nil {
			for path, f := range m.Signed.Targets {
				if f.VerifyLengthHashes(data) == nil {
					t.Errorf("%s is its own description", path)
				}
			}
			if d := m.Signed.Delegations; d != nil {
				_ = d.GetRolesForTarget("stable/linux-amd64.json")
				for _, r := range d.Roles {
					_ = m.VerifyDelegate(r.Name, m)
				}
			}
			again(t, m)
		}
	})
}

// again encodes what was parsed, as verifying a signature does.
func again[T metadata.Roles](t *testing.T, m *metadata.Metadata[T]) {
	t.Helper()
	if _, err := json.Marshal(m); err != nil {
		t.Errorf("read and not written: %v", err)
	}
}
