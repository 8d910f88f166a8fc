//go:build long

package image

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"piwork/pack/trust"
)

// TestReproducible builds everything twice, in places, with a mask and at times
// that differ, and compares every file and the archive. Only downloads are
// shared.
func TestReproducible(t *testing.T) {
	shared, err := DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(shared, "debs"), 0o755); err != nil {
		t.Fatal(err)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := trust.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	var archives []string
	var contents []map[string]string
	for i, mask := range []int{0o022, 0o077} {
		dir := filepath.Join(t.TempDir(), []string{"one", "another place with a longer name"}[i])
		tmp := filepath.Join(dir, "tmp")
		if err := os.MkdirAll(tmp, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(shared, "debs"), filepath.Join(dir, "debs")); err != nil {
			t.Fatal(err)
		}
		defer syscall.Umask(syscall.Umask(mask))
		t.Setenv("TZ", []string{"Asia/Tokyo", "America/Lima"}[i])
		t.Setenv("LC_ALL", []string{"C", "de_DE.UTF-8"}[i])
		o := Options{CacheDir: dir, SourceDir: "../..", Log: func(line string) { t.Log(line) }}
		archive, _, err := BuildArchive(t.Context(), o, ArchiveOptions{Signer: signer, Level: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Build(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := fileHash(archive)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, filepath.Base(archive)+" "+sum)
		contents = append(contents, hashes(t, r.Dir))
	}
	for name, sum := range contents[0] {
		if contents[1][name] != sum {
			t.Errorf("%s: %s and %s", name, sum, contents[1][name])
		}
	}
	if len(contents[0]) != len(contents[1]) || len(contents[0]) < 100 {
		t.Errorf("%d and %d files", len(contents[0]), len(contents[1]))
	}
	if archives[0] != archives[1] {
		t.Errorf("%s\n%s", archives[0], archives[1])
	}
	t.Log(archives)
}

func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[name], err = fileHash(filepath.Join(dir, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
