package channel

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// These steps of the specification's client workflow (5.4 to 5.6) are done in
// this order. Each takes bytes that may come from anywhere.

// setTimestamp takes a timestamp. An expired one is an error and yet a floor for
// the next.
func setTimestamp(t *trustedmetadata.TrustedMetadata, data []byte) error {
	if _, err := parseTimestamp(data); err != nil {
		return err
	}
	_, err := guard(func() (any, error) { return t.UpdateTimestamp(data) })
	return err
}

// setSnapshot takes the snapshot that the timestamp names.
func setSnapshot(t *trustedmetadata.TrustedMetadata, data []byte) error {
	if err := t.Timestamp.Signed.Meta["snapshot.json"].VerifyLengthHashes(data); err != nil {
		return err
	}
	m, err := parseSnapshot(data)
	if err != nil {
		return err
	}
	if t.Snapshot != nil {
		for name := range t.Snapshot.Signed.Meta {
			if _, ok := m.Signed.Meta[name]; !ok {
				return fail(KindRollback, "snapshot.json", "%s is not there any more", name)
			}
		}
	}
	_, err = guard(func() (any, error) { return t.UpdateSnapshot(data, false) })
	return err
}

// setSnapshotFloor takes a snapshot that was verified once, as the floor for the
// versions of the next. What does not fit any more is passed over.
func setSnapshotFloor(t *trustedmetadata.TrustedMetadata, data []byte) {
	if _, err := parseSnapshot(data); err != nil {
		return
	}
	_, _ = guard(func() (any, error) { return t.UpdateSnapshot(data, true) })
}

// setTargets takes the top-level targets that the snapshot names.
func setTargets(t *trustedmetadata.TrustedMetadata, data []byte) error {
	if err := t.Snapshot.Signed.Meta["targets.json"].VerifyLengthHashes(data); err != nil {
		return err
	}
	if _, err := parseTargets(data); err != nil {
		return err
	}
	_, err := guard(func() (any, error) { return t.UpdateTargets(data) })
	return err
}

// roleMeta returns what the snapshot says about the channel's metadata, after
// it made sure that the channel is in charge of its release.
func (c *Client) roleMeta(t *trustedmetadata.TrustedMetadata) (*metadata.MetaFiles, error) {
	top := t.Targets[metadata.TARGETS].Signed
	path := ReleasePath(c.o.Name, c.o.Host)
	if _, ok := top.Targets[path]; ok {
		return nil, fail(KindMalformed, "targets.json", "names the release of a channel itself")
	}
	var roles []metadata.RoleResult
	if top.Delegations != nil {
		roles = top.Delegations.GetRolesForTarget(path)
	}
	if len(roles) == 0 {
		return nil, fail(KindNotOffered, "targets.json", "no channel %s", c.o.Name)
	}
	// The first role in the order of the delegations has the say, and no other
	// is asked when it is silent: as if every delegation were terminating.
	if roles[0].Name != c.o.Name {
		return nil, fail(KindMalformed, "targets.json", "%s has the say over %s", roles[0].Name, path)
	}
	m, ok := t.Snapshot.Signed.Meta[c.o.Name+".json"]
	if !ok {
		return nil, fail(KindNotOffered, "snapshot.json", "no channel %s", c.o.Name)
	}
	return m, nil
}

// setRole takes the channel's metadata.
func (c *Client) setRole(t *trustedmetadata.TrustedMetadata, data []byte) (*metadata.TargetsType, error) {
	m, err := c.roleMeta(t)
	if err != nil {
		return nil, err
	}
	if err := m.VerifyLengthHashes(data); err != nil {
		return nil, err
	}
	if _, err := parseTargets(data); err != nil {
		return nil, err
	}
	role, err := guard(func() (*metadata.Metadata[metadata.TargetsType], error) {
		return t.UpdateDelegatedTargets(data, c.o.Name, metadata.TARGETS)
	})
	if err != nil {
		return nil, err
	}
	return &role.Signed, nil
}

// keyList verifies keys.json against the targets, and reads it.
func keyList(top *metadata.TargetsType, data []byte) (*KeyList, error) {
	f, ok := top.Targets[KeysName]
	if !ok {
		return nil, errors.New("no list of keys")
	}
	if err := f.VerifyLengthHashes(data); err != nil {
		return nil, err
	}
	return ParseKeyList(data)
}

// release verifies and reads the release file that role names.
func (c *Client) release(t *trustedmetadata.TrustedMetadata, role *metadata.TargetsType, data []byte) (*Release, error) {
	f, ok := role.Targets[ReleasePath(c.o.Name, c.o.Host)]
	if !ok {
		return nil, fail(KindNotOffered, c.o.Name+".json", "nothing for %s", c.o.Host)
	}
	if err := f.VerifyLengthHashes(data); err != nil {
		return nil, err
	}
	r, err := ParseRelease(data, c.o.Host)
	if err != nil {
		return nil, err
	}
	r.Expires = earliest(t.Root.Signed.Expires, t.Timestamp.Signed.Expires, t.Snapshot.Signed.Expires,
		t.Targets[metadata.TARGETS].Signed.Expires, role.Expires).UTC()
	return r, nil
}

func earliest(times ...time.Time) time.Time {
	first := times[0]
	for _, t := range times[1:] {
		if t.Before(first) {
			first = t
		}
	}
	return first
}

// matches tells whether data is what a file's signed description says.
func matches(length int64, hashes metadata.Hashes, data []byte) bool {
	sum := sha256.Sum256(data)
	return int64(len(data)) == length && hashes["sha256"].String() == hex.EncodeToString(sum[:])
}

// hashedPath is where a target with one hash stands.
func hashedPath(f *metadata.TargetFiles, name string) string {
	return TargetPath(f.Hashes["sha256"].String(), name)
}

// expired refuses metadata whose time has come; go-tuf looks at each file when
// the next one arrives, which says less about which one it was.
func expired(file string, expires, now time.Time) error {
	if now.After(expires) {
		return fail(KindExpired, file, "since %s", expires.UTC().Format(time.RFC3339))
	}
	return nil
}

// versioned names a file of metadata in a repository with consistent snapshots.
func versioned(version int64, role string) string {
	return fmt.Sprintf("metadata/%d.%s.json", version, role)
}
