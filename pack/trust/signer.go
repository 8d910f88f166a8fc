package trust

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"

	"piwork/pack/durable"
)

// Signer signs with a private key. It is a sigstore signer whose signatures are
// deterministic (RFC 6979).
type Signer struct {
	private *ecdsa.PrivateKey
}

var _ signature.Signer = (*Signer)(nil)

// NewSigner makes a signer of a private key, which must be ECDSA on P-256.
func NewSigner(private crypto.PrivateKey) (*Signer, error) {
	ec, ok := private.(*ecdsa.PrivateKey)
	if !ok || ec == nil || ec.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%T is not an ECDSA key on P-256", private)
	}
	return &Signer{private: ec}, nil
}

// LoadSigner reads a private key in PEM: PKCS #8, or as cosign writes it, then
// pass is asked for its password (nil when there is none to ask). On systems
// with permission bits a file that others can read is refused.
func LoadSigner(file string, pass cryptoutils.PassFunc) (*Signer, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("load signing key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("load signing key: %s is readable by others (mode %o)", file, info.Mode().Perm())
	}
	data, err := readBounded(file, maxPEMFile)
	if err != nil {
		return nil, fmt.Errorf("load signing key: %w", err)
	}
	private, err := cryptoutils.UnmarshalPEMToPrivateKey(data, pass)
	if err != nil {
		return nil, fmt.Errorf("load signing key %s: %w", file, err)
	}
	s, err := NewSigner(private)
	if err != nil {
		return nil, fmt.Errorf("load signing key %s: %w", file, err)
	}
	return s, nil
}

// PublicKey implements sigstore's interface.
func (s *Signer) PublicKey(...signature.PublicKeyOption) (crypto.PublicKey, error) {
	return s.private.Public(), nil
}

// SignMessage implements sigstore's interface: the DER of a signature over
// SHA-256 of the message, or of the digest given with options.WithDigest. Other
// options, a source of randomness among them, are ignored.
func (s *Signer) SignMessage(message io.Reader, opts ...signature.SignOption) ([]byte, error) {
	digest, _, err := signature.ComputeDigestForSigning(message, crypto.SHA256, []crypto.Hash{crypto.SHA256}, opts...)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return s.private.Sign(nil, digest, crypto.SHA256) // no randomness: RFC 6979
}

// Sign returns the content of a signature file for message, by any signer whose
// signatures are those of this package (a key service, for instance).
func Sign(s signature.Signer, message []byte) ([]byte, error) {
	public, err := s.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("sign: public key: %w", err)
	}
	k, err := NewKey("signer", Release, public)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	der, err := s.SignMessage(bytes.NewReader(message))
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	if err := k.verifier.VerifySignature(bytes.NewReader(der), bytes.NewReader(message)); err != nil {
		return nil, fmt.Errorf("sign: the new signature does not verify: %w", err)
	}
	return encodeSignature(der), nil
}

// GenerateDeveloperKey makes a key pair: the private key in keyFile (PKCS #8 in
// PEM, mode 0600), the public key beside it as keyFile + ".pub". It never
// replaces a file: an existing one is fs.ErrExist. The key is trusted once
// [AddDeveloperKey] put it into a ring.
func GenerateDeveloperKey(keyFile, name string) (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("generate developer key: %w", err)
	}
	k, err := NewKey(name, Developer, private.Public())
	if err != nil {
		return Key{}, fmt.Errorf("generate developer key: %w", err)
	}
	secret, err := cryptoutils.MarshalPrivateKeyToPEM(private)
	if err != nil {
		return Key{}, fmt.Errorf("generate developer key: %w", err)
	}
	public, err := k.PEM()
	if err != nil {
		return Key{}, fmt.Errorf("generate developer key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(keyFile), 0o700); err != nil {
		return Key{}, fmt.Errorf("generate developer key: %w", err)
	}
	if err := writeNew(keyFile, secret, 0o600); err != nil {
		return Key{}, fmt.Errorf("generate developer key: %w", err)
	}
	if err := writeNew(keyFile+".pub", public, 0o644); err != nil {
		return Key{}, errors.Join(fmt.Errorf("generate developer key: %w", err), os.Remove(keyFile))
	}
	return k, nil
}

// AddDeveloperKey adds k to the developer key ring in ringFile, which is replaced
// atomically. A key that is there already is left as it is; another key of the
// same name is refused.
func AddDeveloperKey(ringFile string, k Key) error {
	if k.Kind != Developer {
		return fmt.Errorf("add developer key: %s is a %s key", k.Name, k.Kind)
	}
	keys, err := LoadDeveloperKeys(ringFile)
	if err != nil {
		return fmt.Errorf("add developer key: %w", err)
	}
	for _, old := range keys {
		if old.ID == k.ID {
			return nil
		}
	}
	if _, err := NewKeyRing(append(keys, k)...); err != nil {
		return fmt.Errorf("add developer key: %w", err)
	}
	var file bytes.Buffer
	for _, k := range append(keys, k) {
		public, err := k.PEM()
		if err != nil {
			return fmt.Errorf("add developer key: %w", err)
		}
		fmt.Fprintf(&file, "# %s\n%s", k.Name, public)
	}
	if err := os.MkdirAll(filepath.Dir(ringFile), 0o700); err != nil {
		return fmt.Errorf("add developer key: %w", err)
	}
	if err := durable.WriteFile(ringFile, file.Bytes(), 0o600); err != nil {
		return fmt.Errorf("add developer key: %w", err)
	}
	return nil
}

// writeNew writes a file that must not exist, durably, or leaves none.
func writeNew(name string, data []byte, perm fs.FileMode) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}
