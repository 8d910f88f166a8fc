//go:build long

package image

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"path/filepath"
	"testing"

	"piwork/pack/durable"
	"piwork/pack/trust"
)

// TestReproducible builds everything twice from nothing but downloads: the root
// file system, QEMU and the kernel too.
func TestReproducible(t *testing.T) {
	buildTwice(t, "amd64", func(*testing.T, string, string) {})
}

// TestReproducibleCross is TestReproducible for another processor than the
// rooms': its programs run in emulation, its QEMU is cross-built.
func TestReproducibleCross(t *testing.T) {
	if err := checkRuns("arm64"); err != nil {
		t.Fatal(err)
	}
	buildTwice(t, "arm64", func(*testing.T, string, string) {})
}

// inTwoPlaces builds in both and compares what came out, by name.
func inTwoPlaces(t *testing.T, share func(t *testing.T, from, to string), build func(cacheDir string) map[string]string) {
	t.Helper()
	first := inPlace(t, 0, share, build)
	compare(t, first, inPlace(t, 1, share, build))
}

// buildTwice builds the runtime in two places, and compares every file and the
// archive. arch is the processor of host and guest.
func buildTwice(t *testing.T, arch string, share func(t *testing.T, from, to string)) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := trust.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	version := "" // the first build's, see TestReproducibleAssembly
	inTwoPlaces(t, share, func(cacheDir string) map[string]string {
		o := Options{HostOS: "linux", HostArch: arch, CacheDir: cacheDir, SourceDir: "../..", Version: version, Log: func(line string) { t.Log(line) }}
		all, err := BuildArchives(t.Context(), o, ArchiveOptions{Signer: signer, Level: 1})
		if err != nil {
			t.Fatal(err)
		}
		archive := all[0].Path
		r, err := Build(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		version = r.Header.Version
		made := hashes(t, r.Dir)
		checkStatements(t, r, made)
		if len(made) < 100 {
			t.Errorf("%d files", len(made))
		}
		if made[filepath.Base(archive)], err = durable.SHA256(archive); err != nil {
			t.Fatal(err)
		}
		t.Log(filepath.Base(archive), made[filepath.Base(archive)])
		return made
	})
}
