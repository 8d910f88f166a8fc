//go:build long && linux

package image

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
)

// TestReproducibleAddOn makes the smallest add-on twice over the runtime as it was
// built before, in places and with masks that differ, and compares every file of it
// and its pack.
func TestReproducibleAddOn(t *testing.T) {
	shared, err := DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	signer := packtest.NewSigner(t)
	var sums [2]map[string]string
	for i, mask := range []int{0o022, 0o077} {
		dir := filepath.Join(t.TempDir(), []string{"one", "another place with a longer name"}[i])
		linkCache(t, shared, dir, append([]string{"addon"}, cheap...))
		defer syscall.Umask(syscall.Umask(mask))
		t.Setenv("TZ", []string{"Asia/Tokyo", "America/Lima"}[i])
		r, err := Build(t.Context(), Options{CacheDir: dir, SourceDir: "../..", AddOns: AddOns()[:1], Log: func(line string) { t.Log(line) }})
		if err != nil {
			t.Fatal(err)
		}
		a := r.AddOns[0]
		file := filepath.Join(dir, a.Header.ArchiveName())
		if _, err := pack.Build(t.Context(), pack.BuildOptions{Dir: a.Dir, Header: a.Header, Signer: signer.Sign, Out: file, Level: 1}); err != nil {
			t.Fatal(err)
		}
		sums[i] = hashes(t, a.Dir)
		if sums[i][filepath.Base(file)], err = fileHash(file); err != nil {
			t.Fatal(err)
		}
	}
	if len(sums[0]) < 20 || !maps.Equal(sums[0], sums[1]) {
		for _, name := range slices.Sorted(maps.Keys(sums[0])) {
			if sums[0][name] != sums[1][name] {
				t.Errorf("%s: %s and %s", name, sums[0][name], sums[1][name])
			}
		}
		t.Errorf("%d and %d files", len(sums[0]), len(sums[1]))
	}
}

// linkCache makes a cache that has what was downloaded and built in another one,
// but for some parts.
func linkCache(t *testing.T, from, to string, but []string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(to, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"debs", "npm"}
	parts, err := byAge(filepath.Join(from, "parts"))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]int{}
	for _, p := range parts {
		name, _, _ := strings.Cut(p.Name(), "-")
		kind, _, _ := strings.Cut(name, ".") // add-ons have theirs apart
		// No more than the new cache would keep: the links are all of the same age.
		if linked[name]++; !slices.Contains(but, kind) && !strings.HasPrefix(name, ".") && linked[name] <= keepOfEach {
			names = append(names, filepath.Join("parts", p.Name()))
		}
	}
	for _, name := range names {
		if err := os.Symlink(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
}
