package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/image/debian"
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
	err = makeLicences(t.Context(), dir, []shippedSet{
		{lock: guest, used: []string{"aa", "bb", "cc"}}, {lock: host, used: []string{"aa"}},
	}, []goModule{module}, nil, s, nil)
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
			err = makeLicences(t.Context(), t.TempDir(), []shippedSet{{lock: l, used: c.used}}, nil, nil, s, nil)
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
