package trust

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenSSL proves the form of keys and signatures against another program,
// in both directions.
func TestOpenSSL(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), openssl, args...).CombinedOutput()
		return string(out), err
	}
	if _, err := GenerateDeveloperKey(at("k"), "k"); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSigner(at("k"), nil)
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte(`{"schema":1}`)
	der, err := base64.StdEncoding.DecodeString(string(sign(t, s, msg)))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"m": msg, "m.bad": append(bytes.Clone(msg), '\n'), "sig": der} {
		if err := os.WriteFile(at(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := run("dgst", "-sha256", "-verify", at("k.pub"), "-signature", at("sig"), at("m")); err != nil {
		t.Errorf("openssl refuses our signature: %v\n%s", err, out)
	}
	if out, err := run("dgst", "-sha256", "-verify", at("k.pub"), "-signature", at("sig"), at("m.bad")); err == nil {
		t.Errorf("openssl accepts our signature of another message\n%s", out)
	}

	if out, err := run("dgst", "-sha256", "-sign", at("k"), "-out", at("theirs"), at("m")); err != nil {
		t.Fatalf("openssl cannot sign with our key: %v\n%s", err, out)
	}
	theirs, err := os.ReadFile(at("theirs"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := verifyBy(t, at("k.pub"), Developer, msg, encodeSignature(theirs))
	if err != nil {
		t.Errorf("we refuse the signature of openssl: %v", err)
	}

	// The identity of a key is the digest of what openssl prints as its DER.
	if out, err := run("pkey", "-pubin", "-in", at("k.pub"), "-outform", "DER", "-out", at("k.der")); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run("dgst", "-sha256", "-r", at("k.der"))
	if err != nil || !strings.HasPrefix(out, id) {
		t.Errorf("key id %s, openssl says %s (%v)", id, out, err)
	}
}

// verifyBy verifies a signature with the key in a file, and returns the key's id.
func verifyBy(t *testing.T, file string, kind Kind, msg, sig []byte) (id string, err error) {
	t.Helper()
	public, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := ParseKeys(public, kind, filepath.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	ring, err := NewKeyRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ring.Verify(msg, sig)
	return keys[0].ID, err
}

func FuzzParseKeys(f *testing.F) {
	f.Add([]byte("# a\n-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEU//4BJ4JrWv5h66OaJLrlUpd2BBHTGkhiwmJShlbNaYghF26BzGSu2d0zgs8EUUxQk0vVoDWJPlVxSwiWUN8vA==\n-----END PUBLIC KEY-----\n"))
	f.Add([]byte("# only\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := ParseKeys(data, Developer, "k")
		if err != nil {
			return
		}
		for _, k := range keys {
			if k.verifier == nil || len(k.ID) != 64 {
				t.Errorf("half a key: %+v", k)
			}
		}
	})
}

func FuzzSignatureFile(f *testing.F) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	k, err := NewKey("k", Release, private.Public())
	if err != nil {
		f.Fatal(err)
	}
	ring, err := NewKeyRing(k)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("MAYCAQACAQA="))
	f.Fuzz(func(t *testing.T, sig []byte) {
		if _, err := ring.Verify([]byte("message nobody signed"), sig); err == nil {
			t.Errorf("accepted %q", sig)
		}
	})
}
