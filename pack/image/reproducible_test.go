//go:build vm || long

package image

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/github/go-spdx/v2/spdxexp"
	spdxjson "github.com/spdx/tools-golang/json"

	"piwork/pack/durable"
	"piwork/scripts/lib/tier"
)

// cheap are the parts that are made within seconds.
var cheap = []string{"initramfs", "rootfs", "licences", "work", "statements", "pack", "archive"}

// places are directories, masks, time zones and languages that differ.
var places = []struct {
	dir            string
	mask           int
	zone, language string
}{{"one", 0o022, "Asia/Tokyo", "C"}, {"another place with a longer name", 0o077, "America/Lima", "de_DE.UTF-8"}}

// inPlace builds in one of places. Its new cache has what was downloaded, and what
// share links into it.
func inPlace(t *testing.T, i int, share func(t *testing.T, from, to string), build func(cacheDir string) map[string]string) map[string]string {
	t.Helper()
	shared, err := DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), places[i].dir)
	if err := os.MkdirAll(filepath.Join(dir, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, downloads := range []string{"debs", "npm"} {
		if err := os.MkdirAll(filepath.Join(shared, downloads), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(shared, downloads), filepath.Join(dir, downloads)); err != nil {
			t.Fatal(err)
		}
	}
	share(t, filepath.Join(shared, "parts"), filepath.Join(dir, "parts"))
	defer syscall.Umask(syscall.Umask(places[i].mask))
	t.Setenv("TZ", places[i].zone)
	t.Setenv("LC_ALL", places[i].language)
	return build(dir)
}

// compare compares what was made twice.
func compare(t *testing.T, first, second map[string]string) {
	t.Helper()
	for name, sum := range first {
		if second[name] != sum {
			t.Errorf("%s: %s and %s", name, sum, second[name])
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d and %d files", len(first), len(second))
	}
}

// linkParts is a share of all parts but some, by the beginning of their names.
func linkParts(t *testing.T, from, to string, but []string) {
	t.Helper()
	parts, err := byAge(from)
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]int{}
	for _, p := range parts {
		name, _, _ := strings.Cut(p.Name(), "-")
		kind, _, _ := strings.Cut(name, ".") // add-ons have theirs apart
		// No more than the new cache would keep: the links are all of the same age.
		if linked[name]++; slices.Contains(but, kind) || strings.HasPrefix(name, ".") || linked[name] > keepOfEach {
			continue
		}
		if err := os.Symlink(filepath.Join(from, p.Name()), filepath.Join(to, p.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReproducibleAssembly takes what takes minutes to build as it was built before,
// and makes all else once more in another place: the guest's programs, initramfs and
// root image, the work disk, terms, lists and statements, and the files of the pack.
// That archives are the same, TestReproducible holds them to.
func TestReproducibleAssembly(t *testing.T) {
	tier.Rest(t, "")
	shared, err := DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if built, err := filepath.Glob(filepath.Join(shared, "parts", "bootstrap-*")); err != nil || len(built) == 0 {
		t.Fatal("nothing was built yet: ./scripts/pack does")
	}
	version := "" // the first build's: another cache would count on from the commits there are now
	build := func(cacheDir string) map[string]string {
		r, err := Build(t.Context(), Options{CacheDir: cacheDir, SourceDir: "../..", Version: version, Log: func(line string) { t.Log(line) }})
		if err != nil {
			t.Fatal(err)
		}
		version = r.Header.Version
		made := hashes(t, r.Dir)
		checkStatements(t, r, made)
		if len(made) < 100 {
			t.Errorf("%d files", len(made))
		}
		return made
	}
	before := build(shared) // as ./scripts/pack does
	compare(t, before, inPlace(t, 1, func(t *testing.T, from, to string) { linkParts(t, from, to, cheap) }, build))
}

// checkStatements: the bill of materials has every package of the manifest, the
// provenance every file with the hash that it has, and both name where things
// are from.
func checkStatements(t *testing.T, r Result, hashes map[string]string) {
	t.Helper()
	f, err := os.Open(filepath.Join(r.Dir, sbomPath))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := spdxjson.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, p := range doc.Packages {
		listed[p.PackageName+" "+p.PackageVersion] = true
	}
	known := 0
	for _, l := range r.Header.Licences {
		if !listed[l.Package+" "+l.Version] {
			t.Errorf("the SBOM lacks %s %s", l.Package, l.Version)
		}
		if l.Licence != seeFile {
			known++
			if ok, bad := spdxexp.ValidateLicenses([]string{l.Licence}); !ok {
				t.Errorf("%s: %q", l.Package, bad)
			}
		}
	}
	if known*10 < len(r.Header.Licences)*7 {
		t.Errorf("the licences of only %d of %d packages are known", known, len(r.Header.Licences))
	}
	data, err := os.ReadFile(filepath.Join(r.Dir, provenancePath))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Subject []struct {
			Name   string
			Digest struct{ SHA256 string }
		}
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct {
					URI    string
					Digest map[string]string
				}
			}
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, f := range s.Subject {
		named[f.Name] = true
		if hashes[f.Name] != f.Digest.SHA256 {
			t.Errorf("%s is %s, the provenance says %s", f.Name, hashes[f.Name], f.Digest.SHA256)
		}
	}
	for name := range hashes {
		if !named[name] && !strings.HasPrefix(name, "licenses/") && name != toolsPath && name != sbomPath && name != provenancePath {
			t.Errorf("the provenance does not name %s", name)
		}
	}
	for _, want := range []string{"pkg:npm/" + platforms[r.Header.HostArch].nodePackage() + "@", "pkg:deb/debian/imagemagick@", "pkg:golang/github.com/creachadair/jrpc2@"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the provenance does not name %s", want)
		}
	}
	if n := len(s.Predicate.BuildDefinition.ResolvedDependencies); n < 300 {
		t.Errorf("%d dependencies", n)
	}
	for _, word := range []string{"/root/", os.TempDir(), r.Dir} {
		if strings.Contains(string(data), word) {
			t.Errorf("the provenance names %s", word)
		}
	}
}

func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[name], err = durable.SHA256(filepath.Join(dir, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
