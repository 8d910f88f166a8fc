package trust

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
)

// pair makes a key of a kind and its signer.
func pair(t *testing.T, name string, kind Kind) (Key, *Signer) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewKey(name, kind, private.Public())
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return k, s
}

func sign(t *testing.T, s *Signer, message []byte) []byte {
	t.Helper()
	sig, err := Sign(s, message)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

func TestVerifySaysWhichKeySigned(t *testing.T) {
	release, rs := pair(t, "release-2026", Release)
	dev, ds := pair(t, "ada@desk", Developer)
	ring, err := NewKeyRing(release, dev)
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte("manifest")
	for _, tc := range []struct {
		signer *Signer
		want   Key
	}{{rs, release}, {ds, dev}} {
		got, err := ring.Verify(msg, sign(t, tc.signer, msg))
		if err != nil {
			t.Fatal(err)
		}
		if got.Name != tc.want.Name || got.Kind != tc.want.Kind || got.ID != tc.want.ID {
			t.Errorf("signed by %s (%s), want %s (%s)", got.Name, got.Kind, tc.want.Name, tc.want.Kind)
		}
	}
}

// TestSignatureAttacks: no file but the signature of exactly these bytes by a
// trusted key is accepted.
func TestSignatureAttacks(t *testing.T) {
	k, s := pair(t, "release", Release)
	_, foreign := pair(t, "foreign", Release)
	ring, err := NewKeyRing(k)
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte("manifest")
	good := sign(t, s, msg)
	der, err := base64.StdEncoding.DecodeString(string(good))
	if err != nil {
		t.Fatal(err)
	}
	b64 := func(b []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(b)) }

	for name, tc := range map[string]struct {
		sig  []byte
		want error
	}{
		"as made":             {good, nil},
		"with a line feed":    {append(bytes.Clone(good), '\n'), nil},
		"with CR LF":          {append(bytes.Clone(good), '\r', '\n'), nil},
		"empty":               {nil, ErrMalformed},
		"only a line feed":    {[]byte("\n"), ErrMalformed},
		"two line feeds":      {append(bytes.Clone(good), '\n', '\n'), ErrMalformed},
		"split over lines":    {append(append(bytes.Clone(good[:10]), '\n'), good[10:]...), ErrMalformed},
		"raw DER":             {der, ErrMalformed},
		"url-safe base64":     {[]byte(strings.Repeat("-_", 48)), ErrMalformed},
		"too long":            {bytes.Repeat([]byte("A"), MaxSignature+4), ErrMalformed},
		"foreign key":         {sign(t, foreign, msg), ErrNoMatch},
		"of another message":  {sign(t, s, []byte("other")), ErrNoMatch},
		"cut":                 {b64(der[:len(der)-1]), ErrNoMatch},
		"trailing byte":       {b64(append(bytes.Clone(der), 0)), ErrNoMatch},
		"zero r and s":        {b64([]byte{0x30, 6, 2, 1, 0, 2, 1, 0}), ErrNoMatch},
		"64 zero bytes":       {b64(make([]byte, 64)), ErrNoMatch},
		"DER of another type": {b64([]byte{0x04, 2, 1, 1}), ErrNoMatch},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ring.Verify(msg, tc.sig)
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}

	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if _, err := ring.Verify(msg, bad); err == nil {
			t.Errorf("accepted with byte %d flipped", i)
		}
	}
	for _, empty := range []*KeyRing{nil, {}} {
		if _, err := empty.Verify(msg, good); !errors.Is(err, ErrNoMatch) {
			t.Errorf("an empty ring says %v", err)
		}
	}
}

func TestSignaturesAreDeterministic(t *testing.T) {
	_, s := pair(t, "k", Developer)
	if a, b := sign(t, s, []byte("m")), sign(t, s, []byte("m")); !bytes.Equal(a, b) {
		t.Errorf("two signatures of the same bytes differ: %s %s", a, b)
	}
	if bytes.ContainsAny(sign(t, s, []byte("m")), "\r\n") {
		t.Error("cosign writes no end of line")
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ed, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, pub := range map[string]crypto.PublicKey{
		"P-384": p384.Public(), "ed25519": ed, "RSA": rsaKey.Public(), "nil": nil, "nil ecdsa": (*ecdsa.PublicKey)(nil),
	} {
		if _, err := NewKey("k", Release, pub); err == nil {
			t.Errorf("%s: accepted as a public key", name)
		}
	}
	for name, private := range map[string]crypto.PrivateKey{"P-384": p384, "ed25519": edPrivate, "RSA": rsaKey, "nil": nil} {
		if _, err := NewSigner(private); err == nil {
			t.Errorf("%s: accepted as a private key", name)
		}
	}
	good, _ := pair(t, "good", Release)
	for _, name := range []string{"", "-x", "a b", "a/b", "a\n", strings.Repeat("a", maxNameSize+1)} {
		if _, err := NewKey(name, Release, good.public); err == nil {
			t.Errorf("name %q accepted", name)
		}
	}
	if _, err := NewKey("k", "root", good.public); err == nil {
		t.Error("unknown kind accepted")
	}
	again, err := NewKey("again", Developer, good.public)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := pair(t, "good", Release)
	for name, keys := range map[string][]Key{
		"same key twice": {good, again}, "same name twice": {good, other}, "not made by NewKey": {{Name: "x", Kind: Release}},
	} {
		if _, err := NewKeyRing(keys...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestParseKeys(t *testing.T) {
	a, _ := pair(t, "a", Release)
	b, _ := pair(t, "b", Release)
	pa, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	pb, err := b.PEM()
	if err != nil {
		t.Fatal(err)
	}
	_, secret := pair(t, "s", Release)
	private, err := cryptoutils.MarshalPrivateKeyToPEM(secret.private)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		file string
		def  string
		want string // names, or "" when refused
	}{
		"named by comments": {"# ring\n# a\n" + string(pa) + "\n# b\n" + string(pb), "", "a b"},
		"named by the file": {string(pa) + string(pb), "release", "release release-2"},
		"no name":           {string(pa), "", ""},
		"a private key":     {"# s\n" + string(private), "", ""},
		"text after":        {"# a\n" + string(pa) + "garbage", "", ""},
		"comment after":     {"# a\n" + string(pa) + "# end\n", "", "a"},
		"cut":               {"# a\n" + string(pa[:60]), "", ""},
		"not DER":           {"# a\n-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "", ""},
		"too large":         {strings.Repeat("# a\n", maxPEMFile), "", ""},
		"too many":          {strings.Repeat(string(pa), maxKeys+1), "k", ""},
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := ParseKeys([]byte(tc.file), Release, tc.def)
			var names []string
			for _, k := range keys {
				names = append(names, k.Name)
			}
			if got := strings.Join(names, " "); got != tc.want || (err != nil) != (tc.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

func TestReleaseKeys(t *testing.T) {
	a, _ := pair(t, "a", Release)
	pa, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := releaseKeys(fstest.MapFS{
		"keys/README":           {Data: []byte("words")},
		"keys/release-2026.pub": {Data: pa},
	})
	if err != nil || len(keys) != 1 || keys[0].Name != "release-2026" || keys[0].Kind != Release {
		t.Errorf("got %v, %v", keys, err)
	}
	if _, err := releaseKeys(fstest.MapFS{"keys/x.pub": {Data: []byte("no key")}}); err == nil {
		t.Error("a file without a key was accepted")
	}
	if _, err := Load(Options{}); err != nil {
		t.Errorf("the embedded keys: %v", err)
	}
}

// TestDeveloperKey: made, kept private, added once, trusted by explicit choice
// only.
func TestDeveloperKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	file, ring := filepath.Join(dir, "developer.key"), filepath.Join(dir, DeveloperFile)
	k, err := GenerateDeveloperKey(file, "ada@desk")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("private key: %v, %v", info.Mode(), err)
	}
	if _, err := GenerateDeveloperKey(file, "ada@desk"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced a private key: %v", err)
	}
	for range 2 {
		if err := AddDeveloperKey(ring, k); err != nil {
			t.Fatal(err)
		}
	}
	other, err := GenerateDeveloperKey(filepath.Join(dir, "other.key"), "ada@desk")
	if err != nil {
		t.Fatal(err)
	}
	if err := AddDeveloperKey(ring, other); err == nil {
		t.Error("two keys of one name in the ring")
	}
	release, _ := pair(t, "release", Release)
	if err := AddDeveloperKey(ring, release); err == nil {
		t.Error("a release key in the developer ring")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("left behind: %v, %v", entries, err)
	}

	s, err := LoadSigner(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte("manifest")
	sig := sign(t, s, msg)
	for _, tc := range []struct {
		o    Options
		want error
	}{
		{Options{ConfigDir: dir, Developer: true}, nil},
		{Options{ConfigDir: dir}, ErrNoMatch},
		{Options{ConfigDir: t.TempDir(), Developer: true}, ErrNoMatch},
	} {
		r, err := Load(tc.o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Verify(msg, sig)
		if !errors.Is(err, tc.want) {
			t.Errorf("%+v: %v, want %v", tc.o, err, tc.want)
		}
		if err == nil && (got.Kind != Developer || got.Name != "ada@desk") {
			t.Errorf("signed by %s (%s)", got.Name, got.Kind)
		}
	}
	if err := os.WriteFile(ring, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Options{ConfigDir: dir, Developer: true}); err == nil {
		t.Error("a broken ring was read as an empty one")
	}
}

func TestLoadSigner(t *testing.T) {
	dir := t.TempDir()
	if runtime.GOOS != "windows" {
		file := filepath.Join(dir, "open.key")
		if _, err := GenerateDeveloperKey(file, "k"); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadSigner(file, nil); err == nil {
			t.Error("read a private key that others can read")
		}
	}
	// The form of `cosign generate-key-pair`.
	pass := func(bool) ([]byte, error) { return []byte("secret"), nil }
	private, public, err := cryptoutils.GeneratePEMEncodedECDSAKeyPair(elliptic.P256(), pass)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "cosign.key")
	if err := os.WriteFile(file, private, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSigner(file, pass)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := ParseKeys(public, Release, "cosign")
	if err != nil {
		t.Fatal(err)
	}
	ring, err := NewKeyRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Verify([]byte("m"), sign(t, s, []byte("m"))); err != nil {
		t.Error(err)
	}
	if _, err := LoadSigner(file, func(bool) ([]byte, error) { return []byte("wrong"), nil }); err == nil {
		t.Error("read with a wrong password")
	}
	if _, err := LoadSigner(file, nil); err == nil {
		t.Error("read without a password")
	}
}
