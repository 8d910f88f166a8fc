package trust

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// MaxSignature bounds a signature file, in bytes. One by P-256 takes 96.
const MaxSignature = 1 << 10

// DeveloperFile is the name of the developer key ring in the config directory:
// public keys in PEM, each after a line "# name".
const DeveloperFile = "developer-keys.pem"

// Reasons for which a signature is not accepted.
var (
	// ErrMalformed: the signature file is not a line of base64 of bounded size.
	ErrMalformed = errors.New("not a signature file")
	// ErrNoMatch: no key of the ring made this signature of this message.
	ErrNoMatch = errors.New("the signature fits none of the trusted keys")
	// ErrRevoked: the signature is by a key that was trusted once and must not be
	// any more.
	ErrRevoked = errors.New("signed by a key that was revoked")
)

// KeyRing is a set of trusted keys. The zero value trusts nobody.
type KeyRing struct {
	keys    []Key
	revoked []Revocation
}

// NewKeyRing makes a ring. The same public key twice, or two keys of one name,
// are refused: an answer "signed by …" must have one meaning.
func NewKeyRing(keys ...Key) (*KeyRing, error) {
	if len(keys) > maxKeys {
		return nil, fmt.Errorf("%d keys: more than %d", len(keys), maxKeys)
	}
	for i, k := range keys {
		if k.verifier == nil {
			return nil, fmt.Errorf("key %q was not made by NewKey", k.Name)
		}
		for _, other := range keys[:i] {
			if k.ID == other.ID {
				return nil, fmt.Errorf("keys %s and %s are the same", other.Name, k.Name)
			}
			if k.Name == other.Name {
				return nil, fmt.Errorf("two keys are named %s", k.Name)
			}
		}
	}
	return &KeyRing{keys: slices.Clone(keys)}, nil
}

// Options say which keys [Load] trusts. The zero value is the release keys.
type Options struct {
	ConfigDir  string // where DeveloperFile and ChannelRootFile are looked for
	Developer  bool   // read them; a missing file is an empty ring, or no channel
	ChannelDir string // where package channel keeps what it learnt; "" leaves its keys out
	Built      fs.FS  // what was compiled in (keys/…), in place of what this program has; for tests
}

func (o Options) built() fs.FS {
	if o.Built != nil {
		return o.Built
	}
	return embedded
}

// Load makes the ring of this program: the release keys, the developer's, and
// those that the update channel vouches for (keys.json, verified again from the
// root), without those that it revoked. It needs no network.
func Load(o Options) (*KeyRing, error) {
	keys, err := releaseKeys(o.built())
	if err != nil {
		return nil, err
	}
	if o.Developer {
		dev, err := LoadDeveloperKeys(filepath.Join(o.ConfigDir, DeveloperFile))
		if err != nil {
			return nil, err
		}
		keys = append(keys, dev...)
	}
	added, revoked, err := channelKeys(o)
	if err != nil {
		return nil, err
	}
	ring, err := NewKeyRing(merge(keys, added)...)
	if err != nil {
		return nil, err
	}
	if ring, err = ring.Without(revoked...); err != nil {
		return nil, fmt.Errorf("revoked keys of the update channel: %w", err)
	}
	return ring, nil
}

// releaseKeys reads keys/*.pub, in the order of their names.
func releaseKeys(fsys fs.FS) ([]Key, error) {
	files, err := fs.Glob(fsys, "keys/*.pub")
	if err != nil {
		return nil, fmt.Errorf("list the release keys: %w", err)
	}
	var keys []Key
	for _, f := range files {
		data, err := fs.ReadFile(fsys, f)
		if err != nil {
			return nil, fmt.Errorf("read release key %s: %w", f, err)
		}
		k, err := ParseKeys(data, Release, strings.TrimSuffix(path.Base(f), ".pub"))
		if err != nil {
			return nil, fmt.Errorf("release key %s: %w", f, err)
		}
		keys = append(keys, k...)
	}
	return keys, nil
}

// LoadDeveloperKeys reads a developer key ring. A missing file is no keys.
func LoadDeveloperKeys(file string) ([]Key, error) {
	data, err := readBounded(file, maxPEMFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the developer key ring: %w", err)
	}
	keys, err := ParseKeys(data, Developer, "")
	if err != nil {
		return nil, fmt.Errorf("developer key ring %s: %w", file, err)
	}
	return keys, nil
}

// Keys returns the keys of the ring; nil when r is nil.
func (r *KeyRing) Keys() []Key {
	if r == nil {
		return nil
	}
	return slices.Clone(r.keys)
}

// ByID returns the key with that [KeyID].
func (r *KeyRing) ByID(id string) (Key, bool) {
	for _, k := range r.Keys() {
		if k.ID == id {
			return k, true
		}
	}
	return Key{}, false
}

// Verify returns the key of the ring that signed message. sigFile is the content
// of a signature file. The error is [ErrMalformed], [ErrRevoked] or [ErrNoMatch],
// wrapped; nothing of the message is interpreted.
func (r *KeyRing) Verify(message, sigFile []byte) (Key, error) {
	der, err := decodeSignature(sigFile)
	if err != nil {
		return Key{}, err
	}
	keys := r.Keys()
	for _, k := range keys {
		if k.verifier.VerifySignature(bytes.NewReader(der), bytes.NewReader(message)) == nil {
			return k, nil
		}
	}
	for _, v := range r.Revocations() {
		if v.key != nil && v.key.verifier.VerifySignature(bytes.NewReader(der), bytes.NewReader(message)) == nil {
			return Key{}, fmt.Errorf("%w: %s", ErrRevoked, v)
		}
	}
	return Key{}, fmt.Errorf("%w (%d keys)", ErrNoMatch, len(keys))
}

// encodeSignature returns the content of a signature file, byte for byte what
// cosign writes: base64 without an end of line.
func encodeSignature(der []byte) []byte {
	return base64.StdEncoding.AppendEncode(nil, der)
}

// decodeSignature accepts one end of line after the base64, as a shell leaves it.
func decodeSignature(file []byte) ([]byte, error) {
	if len(file) > MaxSignature {
		return nil, fmt.Errorf("%w: %d bytes", ErrMalformed, len(file))
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(file, []byte("\n")), []byte("\r"))
	if len(line) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMalformed)
	}
	if bytes.ContainsAny(line, "\r\n") { // the decoder would skip them
		return nil, fmt.Errorf("%w: more than one line", ErrMalformed)
	}
	der, err := base64.StdEncoding.Strict().AppendDecode(nil, line)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return der, nil
}

// readBounded reads a file of at most max bytes.
func readBounded(name string, max int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%s has more than %d bytes", name, max)
	}
	return data, nil
}
