//go:build long && linux

package image

import (
	"path/filepath"
	"slices"
	"testing"

	"piwork/pack"
	"piwork/pack/durable"
	"piwork/pack/packtest"
)

// TestReproducibleAddOn makes the smallest add-on twice over the runtime as it was
// built before, and compares every file of it and its pack.
func TestReproducibleAddOn(t *testing.T) {
	signer := packtest.NewSigner(t)
	share := func(t *testing.T, from, to string) { linkParts(t, from, to, slices.Concat(cheap, []string{"addon"})) }
	version := "" // the first build's, see TestReproducibleAssembly
	inTwoPlaces(t, share, func(cacheDir string) map[string]string {
		r, err := Build(t.Context(), Options{CacheDir: cacheDir, SourceDir: "../..", Version: version, AddOns: AddOns()[:1], Log: func(line string) { t.Log(line) }})
		if err != nil {
			t.Fatal(err)
		}
		version = r.Header.Version
		a := r.AddOns[0]
		file := filepath.Join(cacheDir, a.Header.ArchiveName())
		if _, err := pack.Build(t.Context(), pack.BuildOptions{Dir: a.Dir, Header: a.Header, Signer: signer.Sign, Out: file, Level: 1}); err != nil {
			t.Fatal(err)
		}
		made := hashes(t, a.Dir)
		if len(made) < 20 {
			t.Errorf("%d files", len(made))
		}
		if made[filepath.Base(file)], err = durable.SHA256(file); err != nil {
			t.Fatal(err)
		}
		return made
	})
}
