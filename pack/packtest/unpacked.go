package packtest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack"
	"piwork/pack/spec"
)

// EnvDir names the unpacked runtime pack that tests with real machines run.
const EnvDir = "PIWORK_RUNTIME_DIR"

// Unpacked returns the runtime pack that the environment names, and skips the test
// without one. It checks no signature: what runs in tests was built for them.
func Unpacked(t testing.TB) *pack.Installed {
	t.Helper()
	dir := os.Getenv(EnvDir)
	if dir == "" {
		t.Skip(EnvDir + " names no unpacked runtime pack")
	}
	return Open(t, dir)
}

// Open reads an unpacked pack, whoever signed it.
func Open(t testing.TB, dir string) *pack.Installed {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, spec.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := spec.ParseManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return &pack.Installed{Dir: dir, Manifest: *m, ManifestSHA256: hex.EncodeToString(sum[:])}
}

// Needs9P skips a test where the pack's QEMU has no 9p device.
func Needs9P(t testing.TB) {
	t.Helper()
	Needs(t, "a 9p device", func(a spec.Abilities) bool { return a.Device9P })
}

// Needs skips a test of what the runtime pack that the environment names cannot do.
// ability is what that is, for the reader.
func Needs(t testing.TB, ability string, has func(spec.Abilities) bool) {
	t.Helper()
	if m := Unpacked(t).Manifest; !has(m.Abilities()) {
		t.Skipf("a pack of the flavour %s is without it: %s", m.FlavourOf(), ability)
	}
}
