package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
	"piwork/pack/image/npm"
	"piwork/pack/image/qemu"
)

// debs makes packages of files ("→x" is a link to x) and a lock of them.
func debs(t *testing.T, s *debian.Store, set string, packages map[string]map[string]string) *debian.Lock {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("needs dpkg")
	}
	l := &debian.Lock{Set: set, Suite: suite, Architecture: "amd64"}
	for _, name := range []string{"aa", "base-files", "bb", "cc"} {
		files, ok := packages[name]
		if !ok {
			continue
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		control := "Package: " + name + "\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: x\n"
		writeFiles(t, dir, map[string]string{"DEBIAN/control": control})
		for file, text := range files {
			if file == "control" {
				writeFiles(t, dir, map[string]string{"DEBIAN/control": control + text})
				continue
			}
			if target, ok := strings.CutPrefix(text, "→"); ok {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			writeFiles(t, dir, map[string]string{file: text})
		}
		out := filepath.Join(t.TempDir(), "x.deb")
		if text, err := exec.CommandContext(t.Context(), "dpkg-deb", "--root-owner-group", "--build", dir, out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		p := debian.Package{
			Name: name, Version: "1", Architecture: "amd64", Archive: debian.ArchiveMain, Path: "pool/main/s/src/" + name + ".deb",
			Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:]), Source: "src", SourceVersion: "1",
		}
		if err := os.WriteFile(s.Path(p), data, 0o644); err != nil {
			t.Fatal(err)
		}
		l.Packages = append(l.Packages, p)
	}
	return l
}

func TestMakeLicences(t *testing.T) {
	s, err := debian.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	guest := debs(t, s, "guest", map[string]map[string]string{
		"aa":         {"usr/share/doc/aa/copyright": "terms of a", "usr/bin/a": "x"},
		"bb":         {"usr/share/doc/bb": "→aa"},
		"cc":         {"usr/share/doc/cc/copyright": "→../bb/copyright"},
		"base-files": {"usr/share/doc/base-files/copyright": "b", "usr/share/common-licenses/GPL-3": "gpl", "usr/share/common-licenses/GPL": "→GPL-3"},
	})
	host := debs(t, s, "qemu", map[string]map[string]string{"aa": {"usr/share/doc/aa/copyright": "other terms of a"}})
	module := goModule{Path: "example.org/Mod", Version: "v1.2.3", Dir: t.TempDir()}
	writeFiles(t, module.Dir, map[string]string{"LICENSE": "terms of m"})
	dir := t.TempDir()
	err = makeLicences(t.Context(), dir, "Ada, 1 Street, Town", []shippedSet{
		{lock: guest, used: []string{"aa", "bb", "cc"}}, {lock: host, used: []string{"aa"}},
	}, []goModule{module}, fromRegistry{}, s)
	if err != nil {
		t.Fatal(err)
	}
	files := readFiles(t, dir)
	for name, want := range map[string]string{
		"licenses/aa/copyright":               "terms of a",
		"licenses/bb/copyright":               "terms of a",
		"licenses/cc/copyright":               "terms of a",
		"licenses/aa/copyright.qemu":          "other terms of a",
		"licenses/common-licenses/GPL-3":      "gpl",
		"licenses/common-licenses/GPL":        "gpl",
		"licenses/go/example.org/mod/LICENSE": "== LICENSE\n\nterms of m\n",
	} {
		if files[name] != want {
			t.Errorf("%s is %q, want %q", name, files[name], want)
		}
	}
	var list []component
	if err := json.Unmarshal([]byte(files[licencesFile]), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 5 || list[0].File != "licenses/aa/copyright" || list[1].File != "licenses/aa/copyright.qemu" || list[0].Source != "debian:src 1" {
		t.Errorf("%+v", list)
	}
	for _, l := range list {
		if _, ok := files[l.File]; !ok {
			t.Errorf("%s is not there", l.File)
		}
	}
	var o sourceOffer
	if err := json.Unmarshal([]byte(files[sourcesPath]), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Sources) != 1 || len(o.Sources[0].Packages) != 3 || o.Sources[0].Directory != "pool/main/s/src" || len(o.Go) != 1 || o.Go[0].Version != "v1.2.3" {
		t.Errorf("%+v", o)
	}
	if strings.Contains(files[sourcesPath], module.Dir) {
		t.Error("the sources name a path of this machine")
	}
}

// TestSourcesOfWhatIsCompiledIn: the offer names sources that are in a static
// program, the recipe of what is built here, patents of codecs, and who offers.
func TestSourcesOfWhatIsCompiledIn(t *testing.T) {
	s, err := debian.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := debs(t, s, "guest", map[string]map[string]string{
		"aa": {"usr/share/doc/aa/copyright": "x", "control": "Built-Using: rustc (= 1.85.0+dfsg3-1)\nX-Cargo-Built-Using: rust-bstr (= 1.11.3-1),\n librsvg (= 2.60.0+dfsg-1)\nStatic-Built-Using: rustc (= 1.85.0+dfsg3-1)\n"},
		"bb": {"usr/share/doc/bb/copyright": "x", "control": "Built-Using: ffmpeg (= 7:7.1-1)\n"},
	})
	terms := t.TempDir()
	writeFiles(t, terms, map[string]string{"qemu": "GPL-2", "glib2.0": "LGPL-2.1"})
	host := debs(t, s, "qemu", map[string]map[string]string{"cc": {"usr/share/doc/cc/copyright": "x"}})
	host.Sources = []debian.Source{{Name: "qemu", Version: "10"}, {Name: "glib2.0", Version: "2"}}
	files, err := (qemu.Target{OS: "linux", Arch: "amd64", Guest: "x86_64"}).Recipe()
	if err != nil {
		t.Fatal(err)
	}
	built := shippedSet{lock: host, used: []string{"cc"}, terms: terms, recipe: "pack/image/qemu/recipe"}
	built.changes, built.build = recipeInPack(files, "qemu")
	dir := t.TempDir()
	if err := makeLicences(t.Context(), dir, "Ada, 1 Street, Town", []shippedSet{{lock: l, used: []string{"aa", "bb"}}, built}, nil, fromRegistry{}, s); err != nil {
		t.Fatal(err)
	}
	got := readFiles(t, dir)
	var o sourceOffer
	if err := json.Unmarshal([]byte(got[sourcesPath]), &o); err != nil {
		t.Fatal(err)
	}
	if o.OfferedBy != "Ada, 1 Street, Town" || o.Codecs == nil || !slices.Equal(o.Codecs.Packages, []string{"ffmpeg"}) {
		t.Errorf("%q, %+v", o.OfferedBy, o.Codecs)
	}
	by := map[string]source{}
	for _, src := range o.Sources {
		by[src.Name+" "+src.Version] = src
	}
	for name, where := range map[string]string{"rustc 1.85.0+dfsg3-1": "pool/main/r/rustc", "rust-bstr 1.11.3-1": "pool/main/r/rust-bstr", "librsvg 2.60.0+dfsg-1": "pool/main/libr/librsvg"} {
		if src := by[name]; src.Directory != where || !slices.Equal(src.BuiltInto, []string{"aa 1"}) {
			t.Errorf("%s: %+v", name, src)
		}
	}
	src := by["qemu 10"]
	if !slices.Contains(src.Changes, "licenses/qemu/changes/all/01-stale-tlb-of-devices.patch") || !slices.Contains(src.Build, "licenses/qemu/build/linux.sh") {
		t.Errorf("%+v", src)
	}
	if other := by["glib2.0 2"]; len(other.Changes) > 0 || len(other.Build) == 0 {
		t.Errorf("%+v", other)
	}
	for _, file := range slices.Concat(src.Changes, src.Build) {
		want := strings.NewReplacer("licenses/qemu/changes/", "recipe/patches/", "licenses/qemu/build/", "recipe/").Replace(file)
		if got[file] == "" || got[file] != string(files[want]) {
			t.Errorf("%s is not in the pack as %s is in the tree", file, want)
		}
	}
	kernelFiles, err := kernel.Recipe("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	changes, build := recipeInPack(kernelFiles, "linux")
	for _, name := range []string{"common.config", "x86.config", "build.sh"} {
		if len(build["licenses/linux/build/"+name]) == 0 {
			t.Errorf("the kernel's %s is not in the pack", name)
		}
	}
	if len(changes) == 0 || len(build["licenses/linux/build/arm64.config"]) > 0 {
		t.Errorf("%d patches, %d files", len(changes), len(build))
	}

	l = debs(t, s, "guest", map[string]map[string]string{"aa": {"usr/share/doc/aa/copyright": "x", "control": "Built-Using: rustc\n"}})
	if err := makeLicences(t.Context(), t.TempDir(), "", []shippedSet{{lock: l, used: []string{"aa"}}}, nil, fromRegistry{}, s); err == nil || !strings.Contains(err.Error(), "rustc") {
		t.Errorf("a source without a version: %v", err)
	}
}

func TestMakeLicencesRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		packages map[string]map[string]string
		used     []string
		fails    string
	}{
		"no copyright":              {map[string]map[string]string{"aa": {"usr/bin/a": ""}}, []string{"aa"}, "no copyright file"},
		"not locked":                {map[string]map[string]string{"aa": {"usr/share/doc/aa/copyright": "x"}}, []string{"zz"}, "not in the lock"},
		"link to a package outside": {map[string]map[string]string{"aa": {"usr/share/doc/aa": "→zz"}}, []string{"aa"}, "copyright of zz"},
		"links in a circle":         {map[string]map[string]string{"aa": {"usr/share/doc/aa": "→bb"}, "bb": {"usr/share/doc/bb": "→aa"}}, []string{"aa"}, "without end"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := debian.OpenStore(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			l := debs(t, s, "guest", c.packages)
			err = makeLicences(t.Context(), t.TempDir(), "", []shippedSet{{lock: l, used: c.used}}, nil, fromRegistry{}, s)
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("error %v, want one with %q", err, c.fails)
			}
		})
	}
}

func TestModuleWithoutLicence(t *testing.T) {
	if _, _, err := (goModule{Path: "x", Dir: t.TempDir()}).licenceOf(); err == nil {
		t.Error("accepted")
	}
}

// addOfNPM adds a package of npm with these files.
func addOfNPM(t *testing.T, files map[string]string) licenceWriter {
	t.Helper()
	s, err := npm.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := npm.Package{Name: "a", Version: "1.0.0", Integrity: "sha512-" + base64.StdEncoding.EncodeToString(make([]byte, 64)), Licence: "MIT"}
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	entries := tar.NewWriter(z)
	for name, text := range files {
		if err := entries.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := entries.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(entries.Close(), z.Close(), os.WriteFile(s.Path(p), file.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	w := licenceWriter{texts: map[string][]byte{}, own: []string{"a", "jiti"}}
	if err := w.addNPM(p, fromRegistry{store: s}); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestBundledModules: what the authors of a package of npm compiled into it is
// named, but for what comes as a package of its own.
func TestBundledModules(t *testing.T) {
	w := addOfNPM(t, map[string]string{"LICENSE": "terms", "package.json": `{"dependencies": {"zod": "4.1.2", "jiti": "2.7.0", "chalk": "6.0.0"}}`})
	if len(w.npm) != 1 || !slices.Equal(w.npm[0].Bundles, []string{"chalk 6.0.0", "zod 4.1.2"}) {
		t.Errorf("%+v", w.npm)
	}
}

// TestNestedModules: what a package of npm brings along has its own line and its own terms, in
// the version that is there and not in the one that was asked for.
func TestNestedModules(t *testing.T) {
	w := addOfNPM(t, map[string]string{
		"LICENSE": "terms", "package.json": `{"dependencies": {"zod": "^4.0.0"}}`,
		"node_modules/zod/package.json": `{"name": "zod", "version": "4.1.2", "license": "MIT"}`,
		"node_modules/zod/LICENSE":      "of zod",
	})
	if len(w.npm) != 1 || !slices.Equal(w.npm[0].Bundles, []string{"zod 4.1.2"}) {
		t.Errorf("%+v", w.npm)
	}
	i := slices.IndexFunc(w.list, func(c component) bool { return c.Package == "zod" })
	if i < 0 || w.list[i].Licence.Licence != "MIT" || string(w.texts[w.list[i].File]) != "of zod" || w.list[i].PURL != "pkg:npm/zod@4.1.2" {
		t.Errorf("%+v %q", w.list, w.texts)
	}
}
