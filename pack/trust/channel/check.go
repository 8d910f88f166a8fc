package channel

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/lazyregexp"
)

// Bounds on metadata. Metadata of a repository with ten releases takes some
// 2 KiB per file.
const (
	maxRoot       = 128 << 10 // bytes
	maxTimestamp  = 16 << 10
	maxSnapshot   = 128 << 10
	maxTargets    = 1 << 20
	maxSignatures = 32
	maxRoleKeys   = 16
	maxVersion    = int64(1) << 53
)

var (
	targetPattern  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*$`)
	patternPattern = lazyregexp.New(`^[A-Za-z0-9._+*-]+(/[A-Za-z0-9._+*-]+)*$`)
	specPattern    = lazyregexp.New(`^1\.[0-9]+(\.[0-9]+)?$`)
)

func checkRoleName(name string) error {
	if !namePattern().MatchString(name) {
		return fmt.Errorf("channel %q: want 1 to 32 small letters, digits and hyphens", name)
	}
	switch name {
	case metadata.ROOT, metadata.TIMESTAMP, metadata.SNAPSHOT, metadata.TARGETS:
		return fmt.Errorf("channel %q: the name of a role of TUF", name)
	}
	return nil
}

// parse reads a file of metadata and refuses what a repository of ours never
// holds. It proves nothing about who signed it.
func parse[T metadata.Roles](data []byte, max int64, signed func(*T) error) (m *metadata.Metadata[T], err error) {
	if int64(len(data)) > max {
		return nil, &Error{Kind: KindTooLarge, Err: fmt.Errorf("%d bytes, more than %d", len(data), max)}
	}
	if err := walk(data); err != nil {
		return nil, err
	}
	m, err = guard(func() (*metadata.Metadata[T], error) { return new(metadata.Metadata[T]).FromBytes(data) })
	if err != nil {
		return nil, err
	}
	if n := len(m.Signatures); n < 1 || n > maxSignatures {
		return nil, fmt.Errorf("%d signatures", n)
	}
	for _, s := range m.Signatures {
		if !digestPattern().MatchString(s.KeyID) || len(s.Signature) > 256 {
			return nil, fmt.Errorf("a signature of key %.80q with %d bytes", s.KeyID, len(s.Signature))
		}
	}
	return m, signed(&m.Signed)
}

func checkCommon(spec string, version int64, expires time.Time) error {
	switch {
	case !specPattern().MatchString(spec):
		return fmt.Errorf("specification %.40q is not 1.x", spec)
	case version < 1 || version > maxVersion:
		return fmt.Errorf("version %d", version)
	case expires.IsZero():
		return errors.New("no time of expiry")
	}
	return nil
}

func parseRoot(data []byte) (*metadata.Metadata[metadata.RootType], error) {
	return parse(data, maxRoot, func(r *metadata.RootType) error {
		if err := checkCommon(r.SpecVersion, r.Version, r.Expires); err != nil {
			return err
		}
		if !r.ConsistentSnapshot {
			return errors.New("without consistent snapshots")
		}
		if err := checkKeys(r.Keys); err != nil {
			return err
		}
		if len(r.Roles) != 4 {
			return fmt.Errorf("%d roles", len(r.Roles))
		}
		for _, name := range []string{metadata.ROOT, metadata.TIMESTAMP, metadata.SNAPSHOT, metadata.TARGETS} {
			role, ok := r.Roles[name]
			if !ok {
				return fmt.Errorf("no role %s", name)
			}
			if err := checkRole(name, role.KeyIDs, role.Threshold, r.Keys); err != nil {
				return err
			}
		}
		return nil
	})
}

func parseTimestamp(data []byte) (*metadata.Metadata[metadata.TimestampType], error) {
	return parse(data, maxTimestamp, func(t *metadata.TimestampType) error {
		if err := checkCommon(t.SpecVersion, t.Version, t.Expires); err != nil {
			return err
		}
		if _, ok := t.Meta["snapshot.json"]; !ok || len(t.Meta) != 1 {
			return errors.New("does not name the snapshot alone")
		}
		return checkMeta(t.Meta, maxSnapshot)
	})
}

func parseSnapshot(data []byte) (*metadata.Metadata[metadata.SnapshotType], error) {
	return parse(data, maxSnapshot, func(s *metadata.SnapshotType) error {
		if err := checkCommon(s.SpecVersion, s.Version, s.Expires); err != nil {
			return err
		}
		if _, ok := s.Meta["targets.json"]; !ok {
			return errors.New("does not name the targets")
		}
		return checkMeta(s.Meta, maxTargets)
	})
}

func parseTargets(data []byte) (*metadata.Metadata[metadata.TargetsType], error) {
	return parse(data, maxTargets, func(t *metadata.TargetsType) error {
		if err := checkCommon(t.SpecVersion, t.Version, t.Expires); err != nil {
			return err
		}
		for path, f := range t.Targets {
			if len(path) > 256 || !targetPattern().MatchString(path) {
				return fmt.Errorf("target %.80q is not a plain path", path)
			}
			if f.Length < 1 || f.Length > MaxArchive {
				return fmt.Errorf("target %s: %d bytes", path, f.Length)
			}
			if err := checkHashes(f.Hashes); err != nil {
				return fmt.Errorf("target %s: %w", path, err)
			}
		}
		if t.Delegations == nil {
			return nil
		}
		return checkDelegations(t.Delegations)
	})
}

func checkDelegations(d *metadata.Delegations) error {
	if d.SuccinctRoles != nil {
		return errors.New("delegates to bins")
	}
	if err := checkKeys(d.Keys); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, r := range d.Roles {
		if err := checkRoleName(r.Name); err != nil {
			return err
		}
		if names[r.Name] {
			return fmt.Errorf("delegates to %s twice", r.Name)
		}
		names[r.Name] = true
		if err := checkRole(r.Name, r.KeyIDs, r.Threshold, d.Keys); err != nil {
			return err
		}
		if len(r.PathHashPrefixes) > 0 || len(r.Paths) == 0 || len(r.Paths) > 64 {
			return fmt.Errorf("role %s: %d paths and %d prefixes of hashes", r.Name, len(r.Paths), len(r.PathHashPrefixes))
		}
		for _, p := range r.Paths {
			if len(p) > 256 || !patternPattern().MatchString(p) {
				return fmt.Errorf("role %s: path %.80q is not plain", r.Name, p)
			}
		}
	}
	return nil
}

// checkMeta wants length and SHA-256 of every file of metadata, so that nothing
// of it is parsed before its bytes are known to be meant.
func checkMeta(meta map[string]*metadata.MetaFiles, max int64) error {
	for file, f := range meta {
		name, ok := strings.CutSuffix(file, ".json")
		if !ok || !namePattern().MatchString(name) {
			return fmt.Errorf("names %.80q, which is no metadata", file)
		}
		if f.Version < 1 || f.Version > maxVersion || f.Length < 1 || f.Length > max {
			return fmt.Errorf("names %s of version %d with %d bytes", file, f.Version, f.Length)
		}
		if err := checkHashes(f.Hashes); err != nil {
			return fmt.Errorf("names %s with %w", file, err)
		}
	}
	return nil
}

func checkHashes(h metadata.Hashes) error {
	if len(h) != 1 || len(h["sha256"]) != 32 {
		return errors.New("hashes other than one SHA-256")
	}
	return nil
}

// checkKeys wants ECDSA on P-256, each under the id that the specification
// computes: one key has one id.
func checkKeys(keys map[string]*metadata.Key) error {
	if len(keys) > 8*maxRoleKeys {
		return fmt.Errorf("%d keys", len(keys))
	}
	for id, k := range keys {
		if k.Type != metadata.KeyTypeECDSA_SHA2_P256 && k.Type != metadata.KeyTypeECDSA_SHA2_P256_COMPAT ||
			k.Scheme != metadata.KeySchemeECDSA_SHA2_P256 {
			return fmt.Errorf("key %.16s: type %.20q, scheme %.20q", id, k.Type, k.Scheme)
		}
		if _, err := parsePublic(k.Value.PublicKey); err != nil {
			return fmt.Errorf("key %.16s: %w", id, err)
		}
		if want, err := k.ID(); err != nil || id != want {
			return fmt.Errorf("key %.16s: its id is another, %.16s", id, want)
		}
	}
	return nil
}

// checkRole wants a threshold that can be reached, and cannot be reached by one
// key under two names.
func checkRole(name string, ids []string, threshold int, keys map[string]*metadata.Key) error {
	if len(ids) < 1 || len(ids) > maxRoleKeys || threshold < 1 || threshold > len(ids) {
		return fmt.Errorf("role %s: threshold %d of %d keys", name, threshold, len(ids))
	}
	var public [][]byte
	for i, id := range ids {
		k, ok := keys[id]
		if !ok || slices.Contains(ids[:i], id) {
			return fmt.Errorf("role %s: key %.16s is unknown, or there twice", name, id)
		}
		ec, err := parsePublic(k.Value.PublicKey)
		if err != nil {
			return fmt.Errorf("role %s: %w", name, err)
		}
		point, err := ec.Bytes()
		if err != nil {
			return fmt.Errorf("role %s: key %.16s: %w", name, id, err)
		}
		if slices.ContainsFunc(public, func(other []byte) bool { return bytes.Equal(other, point) }) {
			return fmt.Errorf("role %s: key %.16s is there twice under two ids", name, id)
		}
		public = append(public, point)
	}
	return nil
}
