package trust

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"

	"piwork/pack/lazyregexp"
)

// Kind says who answers for a key.
type Kind string

// Kinds of keys.
const (
	Release   Kind = "release"   // compiled into the program
	Developer Kind = "developer" // in the person's config directory
)

// Bounds on what is read, so that no file can exhaust memory.
const (
	maxKeys     = 192      // keys in a ring or file
	maxPEMFile  = 64 << 10 // bytes of a file with keys
	maxNameSize = 64       // bytes of a key's name
)

// namePattern keeps names printable on one line and usable as file names.
var namePattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._@+-]*$`)

// Key is one public key that is trusted.
type Key struct {
	Name string // for people, e.g. "release-2026"
	Kind Kind
	ID   string // KeyID of the public key

	public   *ecdsa.PublicKey
	verifier signature.Verifier
}

// KeyID is the identity of a public key: SHA-256 of its SubjectPublicKeyInfo
// (RFC 5280, DER), in lower-case hex.
func KeyID(public crypto.PublicKey) (string, error) {
	der, err := cryptoutils.MarshalPublicKeyToDER(public)
	if err != nil {
		return "", fmt.Errorf("encode public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:]), nil
}

// NewKey makes a trusted key of a public key. It refuses names that are not
// plain words and keys that are not ECDSA on P-256.
func NewKey(name string, kind Kind, public crypto.PublicKey) (Key, error) {
	if len(name) > maxNameSize || !namePattern().MatchString(name) {
		return Key{}, fmt.Errorf("key name %q: want 1 to %d letters, digits and ._@+-", name, maxNameSize)
	}
	if kind != Release && kind != Developer {
		return Key{}, fmt.Errorf("key %s: kind %q is neither release nor developer", name, kind)
	}
	ec, ok := public.(*ecdsa.PublicKey)
	if !ok || ec == nil || ec.Curve != elliptic.P256() {
		return Key{}, fmt.Errorf("key %s: %T is not an ECDSA key on P-256", name, public)
	}
	id, err := KeyID(ec)
	if err != nil {
		return Key{}, fmt.Errorf("key %s: %w", name, err)
	}
	v, err := signature.LoadVerifier(ec, crypto.SHA256)
	if err != nil {
		return Key{}, fmt.Errorf("key %s: %w", name, err)
	}
	return Key{Name: name, Kind: kind, ID: id, public: ec, verifier: v}, nil
}

// PEM returns the public key as cosign and openssl read it.
func (k Key) PEM() ([]byte, error) {
	return cryptoutils.MarshalPublicKeyToPEM(k.public)
}

// ParseKeys reads the public keys of a PEM file. The name of a key is the last
// line "# name" before its block, else def with the number of the block when
// there is more than one ("" refuses keys without a name).
func ParseKeys(data []byte, kind Kind, def string) ([]Key, error) {
	if len(data) > maxPEMFile {
		return nil, fmt.Errorf("%d bytes of keys: more than %d", len(data), maxPEMFile)
	}
	var keys []Key
	for len(bytes.TrimSpace(data)) > 0 {
		block, rest := pem.Decode(data)
		if block == nil {
			if onlyComments(data) {
				break
			}
			return nil, errors.New("text that is neither a key in PEM nor a comment")
		}
		name := nameBefore(data)
		data = rest
		if block.Type != "PUBLIC KEY" {
			return nil, fmt.Errorf("PEM block %q is not a public key", block.Type)
		}
		if len(keys) == maxKeys {
			return nil, fmt.Errorf("more than %d keys", maxKeys)
		}
		if name == "" {
			name = def
			if len(keys) > 0 && def != "" {
				name = fmt.Sprintf("%s-%d", def, len(keys)+1)
			}
		}
		public, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", len(keys)+1, err)
		}
		k, err := NewKey(name, kind, public)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// nameBefore returns the name in the comment that stands right before the first
// PEM block of data.
func nameBefore(data []byte) string {
	head, _, _ := bytes.Cut(data, []byte("-----BEGIN"))
	name := ""
	for line := range strings.Lines(string(head)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			name = strings.TrimSpace(rest)
		}
	}
	return name
}

func onlyComments(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
