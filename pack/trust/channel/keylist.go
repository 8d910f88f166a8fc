package channel

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"piwork/pack/lazyregexp"
)

// KeysName is the top-level target that holds the [KeyList].
const KeysName = "keys.json"

// KeysSchema is the form of key lists that this program reads and writes.
const KeysSchema = 1

// Bounds on a key list.
const (
	maxKeysFile  = 256 << 10 // bytes
	maxSigning   = 64        // keys
	maxRevoked   = 192       // keys
	maxWithdrawn = 256       // versions
	maxReason    = 512       // bytes
)

var signingName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)

// KeyList says which keys may sign packs, and which versions of packs must not be
// installed any more although such a key signed them.
type KeyList struct {
	Signing   []SigningKey
	Revoked   []RevokedKey
	Withdrawn []WithdrawnVersion
	Minimum   string // the oldest version that may be installed (semver), "" any
}

// SigningKey is a key that may sign packs.
type SigningKey struct {
	ID   string // SHA-256 of the public key in DER (trust.KeyID), lower-case hex; "" is filled in
	Name string // for people
	PEM  string // public key, PKIX
}

// RevokedKey is a key whose signatures count no more, also under packs that were
// signed before.
type RevokedKey struct {
	ID     string // as of a SigningKey
	Reason string // for people, may be ""
}

// WithdrawnVersion is a version of the runtime and its add-ons that must not be
// installed any more, on any platform. One that is in use stays so until there is
// another one.
type WithdrawnVersion struct {
	Version string // semver
	Reason  string // for people, may be ""
}

// Withdraws reports whether a version must not be installed any more, and why, for
// people.
func (l *KeyList) Withdraws(version string) (reason string, yes bool) {
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		return "", false
	}
	for _, w := range l.Withdrawn {
		if old, err := semver.StrictNewVersion(w.Version); err == nil && old.Equal(v) {
			return w.Reason, true
		}
	}
	if oldest, err := semver.StrictNewVersion(l.Minimum); err == nil && v.LessThan(oldest) {
		return "older than " + l.Minimum, true
	}
	return "", false
}

// checkVersions holds what a list withdraws to its bounds.
func (l *KeyList) checkVersions() error {
	if len(l.Withdrawn) > maxWithdrawn {
		return fmt.Errorf("key list: %d withdrawn versions are too many", len(l.Withdrawn))
	}
	seen := map[string]bool{}
	for _, w := range l.Withdrawn {
		if !plainVersion(w.Version) || seen[w.Version] || len(w.Reason) > maxReason {
			return fmt.Errorf("key list: withdrawn version %.80q: not a semantic version, there twice, or a reason of %d bytes", w.Version, len(w.Reason))
		}
		seen[w.Version] = true
	}
	if l.Minimum != "" && !plainVersion(l.Minimum) {
		return fmt.Errorf("key list: minimum %.80q is not a semantic version", l.Minimum)
	}
	return nil
}

func plainVersion(v string) bool {
	_, err := semver.StrictNewVersion(v)
	return err == nil && len(v) <= 64
}

// keysFile is keys.json. Programs that know nothing of withdrawn versions pass
// over them.
type keysFile struct {
	Schema    int                `json:"schema"`
	Signing   []signingKeyFile   `json:"signing"`
	Revoked   []revokedKeyFile   `json:"revoked"`
	Withdrawn []withdrawnVersion `json:"withdrawn,omitempty"`
	Minimum   string             `json:"minimum,omitempty"`
}

type withdrawnVersion struct {
	Version string `json:"version"`
	Reason  string `json:"reason,omitempty"`
}

type signingKeyFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	PEM  string `json:"public"`
}

type revokedKeyFile struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// EncodeKeyList returns keys.json, in the order of the key ids. What
// [ParseKeyList] would refuse is refused here.
func EncodeKeyList(l KeyList) ([]byte, error) {
	f := keysFile{Schema: KeysSchema, Signing: []signingKeyFile{}, Revoked: []revokedKeyFile{}}
	for _, k := range l.Signing {
		id, err := signingKeyID(k.PEM)
		if err != nil {
			return nil, fmt.Errorf("key list: key %s: %w", k.Name, err)
		}
		if k.ID != "" && k.ID != id {
			return nil, fmt.Errorf("key list: key %s: its id is %s, not %q", k.Name, id, k.ID)
		}
		f.Signing = append(f.Signing, signingKeyFile{ID: id, Name: k.Name, PEM: k.PEM})
	}
	for _, r := range l.Revoked {
		f.Revoked = append(f.Revoked, revokedKeyFile(r))
	}
	for _, w := range l.Withdrawn {
		f.Withdrawn = append(f.Withdrawn, withdrawnVersion(w))
	}
	slices.SortFunc(f.Withdrawn, func(a, b withdrawnVersion) int { return strings.Compare(a.Version, b.Version) })
	f.Minimum = l.Minimum
	slices.SortFunc(f.Signing, func(a, b signingKeyFile) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(f.Revoked, func(a, b revokedKeyFile) int { return strings.Compare(a.ID, b.ID) })
	data, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("key list: %w", err)
	}
	data = append(data, '\n')
	if _, err := ParseKeyList(data); err != nil {
		return nil, err
	}
	return data, nil
}

// ParseKeyList reads keys.json. No key is there twice, and none is both valid
// and revoked.
func ParseKeyList(data []byte) (*KeyList, error) {
	if len(data) > maxKeysFile {
		return nil, fmt.Errorf("key list: %d bytes, more than %d", len(data), maxKeysFile)
	}
	if err := walk(data); err != nil {
		return nil, fmt.Errorf("key list: %w", err)
	}
	var f keysFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("key list: %w", err)
	}
	if f.Schema != KeysSchema {
		return nil, &Error{Kind: KindNewerForm, Err: fmt.Errorf("key list of form %d, this program reads %d", f.Schema, KeysSchema)}
	}
	if len(f.Signing) > maxSigning || len(f.Revoked) > maxRevoked {
		return nil, fmt.Errorf("key list: %d keys and %d revoked ones are too many", len(f.Signing), len(f.Revoked))
	}
	l := &KeyList{Minimum: f.Minimum}
	for _, w := range f.Withdrawn {
		l.Withdrawn = append(l.Withdrawn, WithdrawnVersion(w))
	}
	if err := l.checkVersions(); err != nil {
		return nil, err
	}
	ids, names := map[string]bool{}, map[string]bool{}
	for _, r := range f.Revoked {
		if !digestPattern().MatchString(r.ID) || ids[r.ID] || len(r.Reason) > maxReason {
			return nil, fmt.Errorf("key list: revoked key %q: not a key id, there twice, or a reason of %d bytes", r.ID, len(r.Reason))
		}
		ids[r.ID] = true
		l.Revoked = append(l.Revoked, RevokedKey(r))
	}
	for _, k := range f.Signing {
		id, err := signingKeyID(k.PEM)
		switch {
		case err != nil:
			return nil, fmt.Errorf("key list: key %q: %w", k.Name, err)
		case id != k.ID:
			return nil, fmt.Errorf("key list: key %q: its id is %s, not %q", k.Name, id, k.ID)
		case !signingName().MatchString(k.Name) || names[k.Name]:
			return nil, fmt.Errorf("key list: name %q is not plain, or there twice", k.Name)
		case ids[id]:
			return nil, fmt.Errorf("key list: key %s is there twice, or revoked", k.Name)
		}
		ids[id], names[k.Name] = true, true
		l.Signing = append(l.Signing, SigningKey{ID: id, Name: k.Name, PEM: k.PEM})
	}
	return l, nil
}

// signingKeyID returns the id of a public key, which must be ECDSA on P-256, one
// block of PEM and nothing else.
func signingKeyID(text string) (string, error) {
	public, err := parsePublic(text)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return "", fmt.Errorf("encode public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:]), nil
}

func parsePublic(text string) (*ecdsa.PublicKey, error) {
	if len(text) > 1<<10 {
		return nil, fmt.Errorf("a public key of %d bytes", len(text))
	}
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "PUBLIC KEY" || len(block.Headers) > 0 || strings.TrimSpace(string(rest)) != "" {
		return nil, errors.New("not one public key in PEM")
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	ec, ok := public.(*ecdsa.PublicKey)
	if !ok || ec.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%T is not an ECDSA key on P-256", public)
	}
	return ec, nil
}
