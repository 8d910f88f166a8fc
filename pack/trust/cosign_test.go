package trust

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCosign proves the form of keys and signatures against cosign itself, in
// both directions, where it is installed (or PIWORK_COSIGN names it). No
// transparency log, no network.
func TestCosign(t *testing.T) {
	cosign := os.Getenv("PIWORK_COSIGN")
	if cosign == "" {
		var err error
		if cosign, err = exec.LookPath("cosign"); err != nil {
			t.Skip("cosign is not installed")
		}
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), cosign, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "COSIGN_PASSWORD=secret", "COSIGN_YES=true", "HOME="+dir, "SIGSTORE_NO_CACHE=true",
			"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("version"); err != nil || !strings.Contains(out, "v2.") {
		t.Skipf("this test speaks to cosign 2: %v\n%s", err, out)
	}
	if _, err := GenerateDeveloperKey(at("k"), "k"); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSigner(at("k"), nil)
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte(`{"schema":1}`)
	for name, data := range map[string][]byte{"m": msg, "m.bad": append(msg[:len(msg):len(msg)], '\n'), "m.sig": sign(t, s, msg)} {
		if err := os.WriteFile(at(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	verify := func(key, sig, m string) (string, error) {
		return run("verify-blob", "--key", at(key), "--signature", at(sig), "--insecure-ignore-tlog=true", at(m))
	}
	if out, err := verify("k.pub", "m.sig", "m"); err != nil {
		t.Errorf("cosign refuses our signature: %v\n%s", err, out)
	}
	if out, err := verify("k.pub", "m.sig", "m.bad"); err == nil {
		t.Errorf("cosign accepts our signature of another message\n%s", out)
	}

	if out, err := run("generate-key-pair"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run("sign-blob", "--key", at("cosign.key"), "--tlog-upload=false", "--output-signature", at("theirs.sig"), at("m")); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	theirs, err := os.ReadFile(at("theirs.sig"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifyBy(t, at("cosign.pub"), Release, msg, theirs); err != nil {
		t.Errorf("we refuse the signature of cosign: %v", err)
	}
	ours, err := LoadSigner(at("cosign.key"), func(bool) ([]byte, error) { return []byte("secret"), nil })
	if err != nil {
		t.Fatalf("we cannot read the key of cosign: %v", err)
	}
	if err := os.WriteFile(at("m.sig"), sign(t, ours, msg), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := verify("cosign.pub", "m.sig", "m"); err != nil {
		t.Errorf("cosign refuses our signature by its key: %v\n%s", err, out)
	}
}
