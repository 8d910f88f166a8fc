package pack_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
)

func buildOptions(t *testing.T, files map[string]string) pack.BuildOptions {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		packtest.Write(t, dir, name, content)
	}
	return pack.BuildOptions{
		Dir: dir, Out: filepath.Join(t.TempDir(), "out.tar.zst"), Level: 3, Signer: packtest.NewSigner(t).Sign,
		Header: spec.Manifest{Name: "piwork-runtime", Version: "0.1.0", HostOS: "linux", HostArch: "amd64", GuestArch: "x86_64"},
	}
}

// TestBuildIsReproducible: the same input gives the same bytes, whatever the
// times, modes, order and number of processors.
func TestBuildIsReproducible(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	files := packtest.Files()
	files["guest/rootfs.img"] = strings.Repeat("some compressible content, ", 200_000)
	files["guest/vmlinux"] = packtest.Random("kernel", 3<<20) // many chunks
	o := buildOptions(t, files)
	m, err := pack.Build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Unix(1700000000, 0).UTC(); !m.Built.Equal(want) {
		t.Errorf("built %s, want %s", m.Built, want)
	}
	first, err := os.ReadFile(o.Out)
	check(t, err)

	again := buildOptions(t, nil)
	again.Signer = o.Signer
	names := slices.Sorted(maps.Keys(files))
	slices.Reverse(names)
	for i, name := range names {
		packtest.Write(t, again.Dir, name, files[name])
		when := time.Unix(int64(i)*1e6, 0)
		check(t, os.Chtimes(filepath.Join(again.Dir, name), when, when))
	}
	if runtime.GOOS != "windows" {
		check(t, os.Chmod(filepath.Join(again.Dir, "tools.json"), 0o600))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, err = pack.Build(t.Context(), again)
	check(t, err)
	second, err := os.ReadFile(again.Out)
	check(t, err)
	if !bytes.Equal(first, second) {
		t.Errorf("two builds differ: %d and %d bytes", len(first), len(second))
	}
	if entries, err := os.ReadDir(filepath.Dir(o.Out)); err != nil || len(entries) != 1 {
		t.Errorf("left beside the pack: %v, %v", entries, err)
	}
}

// TestBuildInPlace: a directory can be built, opened and built again.
func TestBuildInPlace(t *testing.T) {
	p := packtest.New(t, packtest.Options{})
	for _, f := range p.Manifest.Files {
		if f.Path == spec.ManifestName || f.Path == spec.SignatureName {
			t.Errorf("the pack contains %s", f.Path)
		}
	}
	raw, err := os.ReadFile(filepath.Join(p.Dir, spec.ManifestName))
	check(t, err)
	h, err := pack.VerifyFile(t.Context(), p.File, p.Keys, pack.VerifyOptions{})
	check(t, err)
	sum := sha256.Sum256(raw)
	if h.Digest != hex.EncodeToString(sum[:]) || h.Key.ID != p.Signer.Key.ID || h.Manifest.Version != "1.0.0" {
		t.Errorf("%+v", h)
	}
}

func TestBuildRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks and names")
	}
	for name, harm := range map[string]func(o *pack.BuildOptions){
		"no files":        func(o *pack.BuildOptions) { check(t, os.RemoveAll(o.Dir)); check(t, os.Mkdir(o.Dir, 0o755)) },
		"no directory":    func(o *pack.BuildOptions) { o.Dir += "-missing" },
		"file of no role": func(o *pack.BuildOptions) { packtest.Write(t, o.Dir, "notes.txt", "x") },
		"symlink": func(o *pack.BuildOptions) {
			check(t, os.Symlink("copyright", filepath.Join(o.Dir, "licenses/qemu/link")))
		},
		"name for Windows": func(o *pack.BuildOptions) { packtest.Write(t, o.Dir, "licenses/aux/copyright", "x") },
		"names by case":    func(o *pack.BuildOptions) { packtest.Write(t, o.Dir, "licenses/QEMU/copyright", "x") },
		"not ASCII":        func(o *pack.BuildOptions) { packtest.Write(t, o.Dir, "licenses/ä", "x") },
		"bad version":      func(o *pack.BuildOptions) { o.Header.Version = "one" },
		"bad time":         func(o *pack.BuildOptions) { o.Header.Built = time.Unix(-1, 0) },
		"no way out":       func(o *pack.BuildOptions) { o.Out = filepath.Join(o.Dir, "missing", "x") },
	} {
		o := buildOptions(t, packtest.Files())
		harm(&o)
		if _, err := pack.Build(t.Context(), o); err == nil {
			t.Errorf("%s: built", name)
		} else if name == "symlink" && spec.KindOf(err) != spec.KindUnsafeEntry {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(o.Out)); err == nil && len(entries) > 0 && name != "no way out" {
			t.Errorf("%s: left %v", name, entries)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := pack.Build(t.Context(), buildOptions(t, packtest.Files())); err == nil {
		t.Error("built at a time that is none")
	}
}

// TestUpdatesAreSmall: of a pack that grew in the middle of its image, everything
// but the surroundings of the change is taken from the old version.
func TestUpdatesAreSmall(t *testing.T) {
	files := packtest.Files()
	image := packtest.Random("root", 24<<20)
	files["guest/rootfs.img"] = image
	old := packtest.New(t, packtest.Options{Files: files})
	s, in := old.Install(t)

	files["guest/rootfs.img"] = image[:5<<20] + packtest.Random("change", 100_001) + image[5<<20:]
	next := packtest.New(t, packtest.Options{Files: files, Version: "1.1.0", Signer: old.Signer})
	f, err := os.Open(next.File)
	check(t, err)
	defer f.Close()
	h, err := pack.ReadHead(t.Context(), f, next.Keys, spec.Policy{})
	check(t, err)
	a, err := pack.Assemble(t.Context(), h, s, next.Keys, pack.AssembleOptions{From: []*pack.Installed{in}})
	check(t, err)
	fetched := h.Length
	for _, c := range a.Missing() {
		packed := make([]byte, c.Packed)
		_, err := f.ReadAt(packed, c.Offset)
		check(t, err)
		check(t, a.Put(c, packed))
		fetched += c.Packed
	}
	got, err := a.Finish(t.Context())
	check(t, err)
	check(t, got.Verify(t.Context(), pack.LevelFull))
	if whole := fileSize(t, next.File); h.Size() != whole || fetched > whole/4 {
		t.Errorf("fetched %d of %d bytes", fetched, whole)
	}
	var sum int64
	for _, n := range h.Packed() {
		sum += n
	}
	if sum > h.Size() || sum < h.Size()*9/10 {
		t.Errorf("the files take %d of %d bytes", sum, h.Size())
	}
}

// TestOtherToolsReadThePack: zstd, tar, sha256sum and openssl can do by hand what
// VerifyFile does.
func TestOtherToolsReadThePack(t *testing.T) {
	for _, tool := range []string{"sh", "zstd", "tar", "sha256sum", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	files := packtest.Files()
	files["guest/rootfs.img"] = packtest.Random("root", 3<<20) // many chunks
	p := packtest.New(t, packtest.Options{Files: files})
	dir := t.TempDir()
	run := func(script string) string {
		cmd := exec.CommandContext(t.Context(), "sh", "-euc", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PACK="+p.File, "KEY="+p.Signer.KeyFile+".pub")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	run(`zstd -q -t "$PACK"; zstd -q -dc "$PACK" | tar x`)
	names := strings.Fields(run(`zstd -q -dc "$PACK" | tar t`))
	want := []string{spec.ManifestName, spec.SignatureName}
	var sums strings.Builder
	for _, f := range p.Manifest.Files {
		want = append(want, f.Path)
		sums.WriteString(f.SHA256 + "  " + f.Path + "\n")
	}
	if !slices.Equal(names, want) {
		t.Errorf("tar lists %q, want %q", names, want)
	}
	check(t, os.WriteFile(filepath.Join(dir, "sums"), []byte(sums.String()), 0o600))
	run(`sha256sum --quiet -c sums`)
	line, err := os.ReadFile(filepath.Join(dir, spec.SignatureName))
	check(t, err)
	der, err := base64.StdEncoding.DecodeString(string(line))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "sig.der"), der, 0o600))
	run(`openssl dgst -sha256 -verify "$KEY" -signature sig.der manifest.json`)
	if listing := run(`zstd -q -dc "$PACK" | tar tv --numeric-owner`); strings.Count(listing, " 0/0 ") != len(want) {
		t.Errorf("headers are not normalised:\n%s", listing)
	}
}

func TestRoleOf(t *testing.T) {
	for name := range packtest.Files() {
		if _, ok := pack.RoleOf(name); !ok {
			t.Errorf("%s has no role", name)
		}
	}
	for _, name := range []string{"x", "qemu/bin/other", "guest/other", "manifest.json"} {
		if r, ok := pack.RoleOf(name); ok {
			t.Errorf("%s is %s", name, r)
		}
	}
}
