package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/agentkit"
	"piwork/pack/image/npm"
	"piwork/pack/spec"
)

// readAddOnNPM reads the lock file of what an add-on has from npm; nil is nothing.
func readAddOnNPM(t *testing.T, a addOn) *npm.Lock {
	t.Helper()
	if len(a.npm) == 0 {
		return nil
	}
	file := a.npmLockFile("../..", platforms["amd64"])
	l, err := npm.ReadLock(file)
	if err != nil {
		t.Fatal(err)
	}
	if !l.For(a.wantNPM()) {
		t.Errorf("%s: made for another recipe: run ./scripts/pack --lock=npm", a.name)
	}
	if raw, err := os.ReadFile(file); err != nil || strings.Contains(string(raw), "://") {
		t.Errorf("%s names a host (%v)", a.name, err)
	}
	return l
}

// registryWith has packages of npm, with files each.
func registryWith(t *testing.T, packages map[string]map[string]string) (*npm.Store, *npm.Lock) {
	t.Helper()
	s, err := npm.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &npm.Lock{Schema: npm.LockSchema}
	for _, name := range []string{openCodePackage, "opencode-ai"} {
		var file bytes.Buffer
		z := gzip.NewWriter(&file)
		entries := tar.NewWriter(z)
		for path, text := range packages[name] {
			if err := entries.WriteHeader(&tar.Header{Name: "package/" + path, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
				t.Fatal(err)
			}
			if _, err := entries.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		sum := make([]byte, 64)
		copy(sum, name)
		p := npm.Package{Name: name, Version: openCodeVersion, Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum), Licence: "MIT"}
		if err := errors.Join(entries.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		p.Size = int64(file.Len())
		if err := os.WriteFile(s.Path(p), file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		l.Packages = append(l.Packages, p)
	}
	return s, l
}

// TestProgramFromNPM: of a package that is a whole program its file is taken as it is, where a task
// starts it from, and nothing else; a package without it is an error.
func TestProgramFromNPM(t *testing.T) {
	const program = "\x7fELF and what stands behind its segments"
	files := map[string]map[string]string{
		openCodePackage: {"bin/opencode": program, "package.json": "{}", "README.md": "x"},
		"opencode-ai":   {"LICENSE": "terms", "bin/opencode.exe": "starts it"},
	}
	s, l := registryWith(t, files)
	dir := t.TempDir()
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := layNPM(t.Context(), r, opencode.npm, l, s); err != nil {
		t.Fatal(err)
	}
	laid := readFiles(t, dir)
	name := strings.TrimPrefix(agentkit.OpenCodeProgram, "/")
	if info, err := os.Stat(filepath.Join(dir, name)); err != nil || len(laid) != 1 || laid[name] != program || info.Mode().Perm() != 0o755 {
		t.Errorf("%v: laid out %q", err, laid)
	}
	delete(files[openCodePackage], "bin/opencode")
	s, l = registryWith(t, files)
	other, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := layNPM(t.Context(), other, opencode.npm, l, s); err == nil || !strings.Contains(err.Error(), "bin/opencode") {
		t.Errorf("a package without the program: %v", err)
	}
}

// TestShellOfTheProgram: what a program starts for a shell stands in the add-on where it is told.
func TestShellOfTheProgram(t *testing.T) {
	shell := strings.TrimPrefix(agentkit.OpenCodeShell, "/")
	if len(opencode.adds) != 2 || !strings.HasPrefix(opencode.adds[shell], "#!/usr/bin/node\n") || opencode.adds[filepath.Dir(shell)+"/commands.cjs"] == "" {
		t.Errorf("%d programs: %v", len(opencode.adds), opencode.adds[shell])
	}
}

// TestTermsOfWhatIsHeld: the pack has the terms of a program whose package has none, and of what its
// makers compiled into it, and offers the sources of that.
func TestTermsOfWhatIsHeld(t *testing.T) {
	s, l := registryWith(t, map[string]map[string]string{
		openCodePackage: {"bin/opencode": "x", "package.json": "{}"}, "opencode-ai": {"LICENSE": "MIT, (c) its makers"},
	})
	dir := t.TempDir()
	if err := makeLicences(t.Context(), dir, "Ada", nil, nil, fromRegistry{l.Packages, opencode.held(l), s}, nil); err != nil {
		t.Fatal(err)
	}
	files := readFiles(t, dir)
	if got := files["licenses/npm/"+openCodePackage+"/LICENSE"]; got != "MIT, (c) its makers" {
		t.Errorf("terms %q", got)
	}
	var list []component
	var offered sourceOffer
	if err := errors.Join(json.Unmarshal([]byte(files[licencesFile]), &list), json.Unmarshal([]byte(files[sourcesPath]), &offered)); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"bun": "MIT License", "WebKit (JavaScriptCore)": "LGPL-2 ", "tinycc": "LGPL-2.1 "} {
		i := slices.IndexFunc(list, func(c component) bool { return c.Package == name })
		if i < 0 || !strings.Contains(files[list[i].File], says) || !strings.Contains(files[list[i].File], list[i].Version) {
			t.Errorf("%s: %+v", name, list)
			continue
		}
		if offered.Holds == nil || !slices.ContainsFunc(offered.Holds.Programs, func(h heldSource) bool {
			return h.Name == name && h.Source == list[i].Source && h.Terms == list[i].File
		}) {
			t.Errorf("the source of %s is not offered: %+v", name, offered.Holds)
		}
	}
	if !slices.Contains(offered.NPM[0].Bundles, "tinycc "+opencode.holds[2].Version) {
		t.Errorf("%+v", offered.NPM)
	}
	for _, c := range list {
		if c.Licence == (spec.Licence{}) || files[c.File] == "" {
			t.Errorf("%+v has no terms", c)
		}
	}
}

// TestAddOnForOneProcessor: an add-on whose program is not to be had for a processor says so before
// anything is built.
func TestAddOnForOneProcessor(t *testing.T) {
	_, err := newBuilder(Options{HostOS: "linux", HostArch: "arm64", SourceDir: "../..", CacheDir: t.TempDir(), AddOns: []string{"opencode"}})
	if err == nil || !strings.Contains(err.Error(), "opencode is made for amd64 alone") {
		t.Errorf("error %v", err)
	}
}
