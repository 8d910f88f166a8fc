// Package packtest makes tiny signed runtime packs for tests, in milliseconds.
//
// A pack has a file of every role in the usual layout. They are real files with
// made-up content: nothing in them can boot. Whatever differs is said in
// [Options].
package packtest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Options of [New]; the zero value is a pack 1.0.0 for this machine.
type Options struct {
	Version string            // "" is 1.0.0
	Verity  bool              // the root image has a (made-up) hash tree, so that add-ons can lie over it
	Files   map[string]string // path → content, in place of [Files]
	Header  spec.Manifest     // fields that are set replace the usual ones
	Signer  *Signer           // nil makes a new developer key
}

// Pack is a signed pack, in both forms.
type Pack struct {
	Dir      string // unpacked, with manifest and signature: for PIWORK_RUNTIME_DIR
	File     string // archive
	Manifest spec.Manifest
	Signer   *Signer
	Keys     *trust.KeyRing // trusts the signer and nobody else
}

// Signer is a developer key on disk.
type Signer struct {
	Key       trust.Key
	KeyFile   string // private, for trust.LoadSigner
	ConfigDir string // holds a trust.DeveloperFile that trusts the key
	Sign      *trust.Signer
}

// Files is the content of a usual pack, one file of each role at least.
func Files() map[string]string {
	return map[string]string{
		"qemu/bin/qemu-system-x86_64":   "#!/bin/sh\nexit 1\n",
		"qemu/lib/ld-linux-x86-64.so.2": "loader",
		"qemu/lib/libc.so.6":            "libc",
		"qemu/lib/qemu-bundle/README":   "bundle",
		"qemu/share/bios-256k.bin":      "bios",
		"guest/vmlinux":                 "kernel",
		"guest/initramfs.cpio":          "initramfs",
		"guest/rootfs.img":              strings.Repeat("rootfs ", 64),
		"guest/work.qcow2":              "work",
		"licenses/SOURCES.json":         "{}",
		"licenses/qemu/copyright":       "GPL",
		"tools.json":                    "{}",
	}
}

// made counts signers, because two keys of one name cannot be in one ring.
var made atomic.Int64

// NewSigner makes a developer key that lives as long as the test.
func NewSigner(tb testing.TB) *Signer {
	tb.Helper()
	dir := tb.TempDir()
	s := &Signer{KeyFile: filepath.Join(dir, "developer.key"), ConfigDir: dir}
	var err error
	if s.Key, err = trust.GenerateDeveloperKey(s.KeyFile, fmt.Sprintf("developer-%d@test", made.Add(1))); err != nil {
		tb.Fatal(err)
	}
	if err = trust.AddDeveloperKey(filepath.Join(dir, trust.DeveloperFile), s.Key); err != nil {
		tb.Fatal(err)
	}
	if s.Sign, err = trust.LoadSigner(s.KeyFile, nil); err != nil {
		tb.Fatal(err)
	}
	return s
}

// New makes a pack that lives as long as the test.
func New(tb testing.TB, o Options) *Pack {
	tb.Helper()
	if o.Signer == nil {
		o.Signer = NewSigner(tb)
	}
	if o.Files == nil {
		o.Files = Files()
	}
	if o.Verity {
		o.Files = maps.Clone(o.Files)
		o.Files["guest/rootfs.img"] = Image("rootfs")
		o.Header.Layers = append(o.Header.Layers, layer(spec.BaseLayer, "guest/rootfs.img", cmp.Or(o.Header.Version, o.Version, "1.0.0"), ""))
	}
	p := &Pack{Dir: tb.TempDir(), Signer: o.Signer}
	for name, content := range o.Files {
		Write(tb, p.Dir, name, content)
	}
	h := o.Header
	set := func(field *string, value string) {
		*field = cmp.Or(*field, value)
	}
	set(&h.Name, "piwork-runtime")
	set(&h.Version, o.Version)
	set(&h.Version, "1.0.0")
	set(&h.HostOS, runtime.GOOS)
	set(&h.HostArch, runtime.GOARCH)
	set(&h.GuestArch, "x86_64")
	if h.Built.IsZero() {
		h.Built = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	}
	p.File = filepath.Join(tb.TempDir(), h.ArchiveName())
	m, err := pack.Build(tb.Context(), pack.BuildOptions{
		Dir: p.Dir, Header: h, Signer: o.Signer.Sign, Out: p.File, Level: 1, InPlace: true,
		Roles: func(path string) (spec.Role, bool) {
			if r, ok := pack.RoleOf(path); ok {
				return r, true
			}
			return "other", true
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	p.Manifest = m
	if p.Keys, err = trust.NewKeyRing(o.Signer.Key); err != nil {
		tb.Fatal(err)
	}
	return p
}

// imageBlocks is the length of an [Image] in blocks, the last of which is the
// hash tree.
const imageBlocks = 5

// Image is a made-up image in place of one with a hash tree, which differs with
// its name.
func Image(name string) string { return Random(name, imageBlocks*spec.VerityBlock) }

// Random returns n bytes that do not compress and depend on the seed only. Packs
// with several files of a few MiB have many chunks.
func Random(seed string, n int) string {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8(sha256.Sum256([]byte(seed))).Read(b) // never fails
	return string(b)
}

func layer(name, path, version, base string) spec.Layer {
	sum := sha256.Sum256([]byte(name + version))
	return spec.Layer{Name: name, Version: version, Path: path, Base: base, Verity: &spec.Verity{
		RootHash: hex.EncodeToString(sum[:]), Salt: "00", DataBlocks: imageBlocks - 1,
	}}
}

// NewAddOn makes an add-on over a pack with Verity, of the same version and by
// the same signer.
func NewAddOn(tb testing.TB, name string, base *Pack) *Pack {
	tb.Helper()
	path := "guest/" + name + ".img"
	return New(tb, Options{
		Files: map[string]string{path: Image(name), "licenses/" + name + "/copyright": "GPL", "tools.json": "{}"},
		Header: spec.Manifest{
			Name: spec.AddOnPrefix + name, Version: base.Manifest.Version, HostOS: spec.AnyHost, HostArch: spec.AnyHost,
			GuestArch: base.Manifest.GuestArch,
			Layers:    []spec.Layer{layer(name, path, base.Manifest.Version, base.Manifest.BaseRoot())},
		},
		Signer: base.Signer,
	})
}

// Write puts one file below dir; programs become executable.
func Write(tb testing.TB, dir, name, content string) {
	tb.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		tb.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(name, "qemu/bin/") || strings.HasPrefix(name, "qemu/lib/ld-") {
		mode = 0o755
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		tb.Fatal(err)
	}
}

// Install puts the pack into a new store and returns both.
func (p *Pack) Install(tb testing.TB) (*pack.Store, *pack.Installed) {
	tb.Helper()
	s, err := pack.OpenStore(filepath.Join(tb.TempDir(), "runtime"))
	if err != nil {
		tb.Fatal(err)
	}
	in, err := pack.Install(tb.Context(), p.File, s, p.Keys, pack.InstallOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return s, in
}
