package audit

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piwork/app/durable"
)

// KeyName is the file of the secret, in the directory of settings: a copy of the data alone
// cannot be signed anew.
const KeyName = "audit.key"

const secretSize = 32 // bytes

// Digest stands for a name or a content: HMAC-SHA-256 under a secret of this computer, the
// first 16 bytes, in hex.
type Digest string

// Key is what this computer signs with, and what its digests are made with (HKDF, RFC 5869, of
// one secret).
type Key struct {
	sign   ed25519.PrivateKey
	digest []byte
	fresh  string // file that becomes the key once a log is signed with it; "" for one that is
}

// OpenKey reads the key in the directory of settings, or makes one, which [Open] settles: until
// then a log without a signature is one of an earlier program. A damaged key is put aside.
func OpenKey(configDir string) (*Key, error) {
	file := filepath.Join(configDir, KeyName)
	k, err := readKey(file)
	if errors.Is(err, errDamagedKey) {
		if err := os.Rename(file, file+".damaged"); err != nil {
			return nil, fmt.Errorf("put the damaged key of the audit log aside: %w", err)
		}
		k, err = readKey(file)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	fresh := file + ".new"
	if err := os.MkdirAll(configDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the key of the audit log: %w", err)
	}
	if err := makeSecret(fresh); err != nil {
		return nil, fmt.Errorf("make the key of the audit log: %w", err)
	}
	if k, err = readKey(fresh); err == nil {
		k.fresh = fresh
	}
	if settled, serr := readKey(file); serr == nil { // another process was quicker
		return settled, nil
	}
	return k, err
}

// settle makes a new key the one of this computer.
func (k *Key) settle() error {
	if k.fresh == "" {
		return nil
	}
	err := os.Rename(k.fresh, strings.TrimSuffix(k.fresh, ".new"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process did
		return fmt.Errorf("keep the key of the audit log: %w", err)
	}
	defer func() { k.fresh = "" }()
	return durable.SyncDir(filepath.Dir(k.fresh))
}

var errDamagedKey = errors.New("damaged")

func readKey(file string) (*Key, error) {
	data, err := durable.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the key of the audit log: %w", err)
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(secret) != secretSize {
		return nil, fmt.Errorf("read the key of the audit log: %s: %w", file, errDamagedKey)
	}
	return keyOf(secret)
}

// makeSecret writes a secret, or leaves the one that is there.
func makeSecret(file string) error {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // never fails
	err := durable.WriteNew(file, []byte(base64.StdEncoding.EncodeToString(secret)+"\n"))
	if errors.Is(err, fs.ErrExist) { // another process was quicker
		return nil
	}
	return err
}

func keyOf(secret []byte) (*Key, error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, "piwork audit signature", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	digest, err := hkdf.Key(sha256.New, secret, nil, "piwork audit digest", sha256.Size)
	if err != nil {
		return nil, err
	}
	return &Key{sign: ed25519.NewKeyFromSeed(seed), digest: digest}, nil
}

// Public is the key that its signatures are checked with.
func (k *Key) Public() PublicKey { return PublicKey(k.sign.Public().(ed25519.PublicKey)) }

// Digest is what stands for a name or a content; "" for none.
func (k *Key) Digest(of string) Digest {
	if of == "" {
		return ""
	}
	m := hmac.New(sha256.New, k.digest)
	m.Write([]byte(of))
	return Digest(hex.EncodeToString(m.Sum(nil)[:16]))
}

// Digests are those of several, MaxPaths at most.
func (k *Key) Digests(of []string) []Digest {
	var out []Digest
	for _, s := range of[:min(len(of), MaxPaths)] {
		out = append(out, k.Digest(s))
	}
	return out
}

// ArgsDigest is the digest of arguments.
func (k *Key) ArgsDigest(args []string) Digest {
	if len(args) == 0 {
		return ""
	}
	return k.Digest(strings.Join(args, "\x00") + "\x00")
}

// PublicKey is an Ed25519 key; its text is base64.
type PublicKey ed25519.PublicKey

// String is the text that people compare.
func (p PublicKey) String() string { return base64.StdEncoding.EncodeToString(p) }

// ParsePublicKey reads the text of a key.
func ParsePublicKey(s string) (PublicKey, error) {
	p, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil || len(p) != ed25519.PublicKeySize {
		return nil, errors.New("not a public key of an audit log")
	}
	return p, nil
}
