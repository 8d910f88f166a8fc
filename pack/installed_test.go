package pack_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// damages are accidents and attacks on an unpacked pack. Quick is whether
// LevelQuick must find them, too.
var damages = []struct {
	name  string
	harm  func(t *testing.T, at func(string) string)
	kind  spec.Kind
	quick bool
}{
	{"flipped byte in the program", overwrite("qemu/bin/qemu-system-x86_64", "#!/bin/sh\nexit 0\n"), spec.KindFlippedByte, true},
	{"flipped byte in a library", overwrite("qemu/lib/libc.so.6", "libC"), spec.KindFlippedByte, true},
	{"flipped byte in the firmware", overwrite("qemu/share/bios-256k.bin", "biOs"), spec.KindFlippedByte, true},
	{"flipped byte in the kernel", overwrite("guest/vmlinux", "Kernel"), spec.KindFlippedByte, true},
	{"flipped byte in the initramfs", overwrite("guest/initramfs.cpio", "Initramfs"), spec.KindFlippedByte, true},
	{"flipped byte in the root image", overwrite("guest/rootfs.img", strings.Repeat("ROOTFS ", 64)), spec.KindFlippedByte, true},
	{"flipped byte in the work image", overwrite("guest/work.qcow2", "WORK"), spec.KindFlippedByte, true},
	{"flipped byte in a licence", overwrite("licenses/qemu/copyright", "gPL"), spec.KindFlippedByte, false},
	{"flipped byte in the chunk index", change(spec.ChunksName, "pwchunk1", "pwchunk2"), spec.KindFlippedByte, false},
	{"root image cut", overwrite("guest/rootfs.img", "rootfs"), spec.KindWrongSize, true},
	{"library grown", overwrite("qemu/lib/libc.so.6", "libc and more"), spec.KindWrongSize, true},
	{"flipped byte in the manifest", change(spec.ManifestName, `"size": 4`, `"size": 5`), spec.KindBadSignature, true},
	{"space after the manifest", change(spec.ManifestName, "]\n}\n", "]\n}\n\n"), spec.KindBadSignature, true},
	{"flipped byte in the signature", change(spec.SignatureName, "M", "N"), spec.KindBadSignature, true},
	{"no signature", remove(spec.SignatureName), spec.KindMissingSignature, true},
	{"no manifest", remove(spec.ManifestName), spec.KindMissingManifest, true},
	{"missing file", remove("qemu/share/bios-256k.bin"), spec.KindMissingFile, true},
	{"missing licence", remove("licenses/qemu/copyright"), spec.KindMissingFile, true},
	{"missing directory", remove("guest"), spec.KindMissingFile, true},
	{"extra library", overwrite("qemu/lib/libevil.so", "x"), spec.KindExtraFile, true},
	{"extra file in front", overwrite(".hidden", "x"), spec.KindExtraFile, true},
	{"extra directory", func(t *testing.T, at func(string) string) { check(t, os.Mkdir(at("qemu/lib/glibc-hwcaps"), 0o755)) }, spec.KindExtraFile, true},
	{"symlink for the program", func(t *testing.T, at func(string) string) {
		check(t, os.Rename(at("qemu/bin/qemu-system-x86_64"), at("../qemu")))
		check(t, os.Symlink("../../../qemu", at("qemu/bin/qemu-system-x86_64")))
	}, spec.KindUnsafeEntry, true},
	{"symlink for a directory", func(t *testing.T, at func(string) string) {
		check(t, os.Rename(at("guest"), at("../guest")))
		check(t, os.Symlink("../guest", at("guest")))
	}, spec.KindUnsafeEntry, true},
	{"symlink for the manifest", func(t *testing.T, at func(string) string) {
		check(t, os.Rename(at(spec.ManifestName), at("../m")))
		check(t, os.Symlink("../m", at(spec.ManifestName)))
	}, spec.KindUnsafeEntry, true},
	{"directory for a file", func(t *testing.T, at func(string) string) {
		check(t, os.Remove(at("guest/vmlinux")))
		check(t, os.Mkdir(at("guest/vmlinux"), 0o755))
	}, spec.KindUnsafeEntry, true},
	{"huge manifest", func(t *testing.T, at func(string) string) {
		check(t, os.Truncate(at(spec.ManifestName), spec.MaxManifest+1))
	}, spec.KindTooLarge, true},
	{"huge signature", func(t *testing.T, at func(string) string) {
		check(t, os.Truncate(at(spec.SignatureName), trust.MaxSignature+1))
	}, spec.KindTooLarge, true},
	{"program that cannot be run", func(t *testing.T, at func(string) string) {
		check(t, os.Chmod(at("qemu/bin/qemu-system-x86_64"), 0o644))
	}, spec.KindNotExecutable, true},
	{"everything gone", remove("."), spec.KindMissingManifest, true},
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func overwrite(name, content string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) {
		info, err := os.Stat(at(name))
		mode := os.FileMode(0o644)
		if err == nil {
			mode = info.Mode()
		}
		check(t, os.WriteFile(at(name), []byte(content), mode))
	}
}

func change(name, old, new string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) {
		data, err := os.ReadFile(at(name))
		check(t, err)
		if !strings.Contains(string(data), old) {
			t.Fatalf("no %q in %s", old, name)
		}
		check(t, os.WriteFile(at(name), []byte(strings.Replace(string(data), old, new, 1)), 0o644))
	}
}

func remove(name string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) { check(t, os.RemoveAll(at(name))) }
}

// TestDamageIsFoundAndRepaired: each damage of an installed pack is named, and
// the next installation of the same archive repairs it.
func TestDamageIsFoundAndRepaired(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks and modes")
	}
	p := packtest.New(t, packtest.Options{})
	for _, tc := range damages {
		t.Run(tc.name, func(t *testing.T) {
			s := newStore(t)
			in := install(t, s, p)
			tc.harm(t, func(name string) string { return filepath.Join(in.Dir, name) })
			if err := in.Verify(t.Context(), pack.LevelFull); spec.KindOf(err) != tc.kind {
				t.Errorf("full: got %v, want %s", err, tc.kind)
			}
			quick := spec.Kind("")
			if tc.quick {
				quick = tc.kind
			}
			if err := in.Verify(t.Context(), pack.LevelQuick); spec.KindOf(err) != quick || err != nil && !tc.quick {
				t.Errorf("quick: got %v, want %q", err, quick)
			}
			repaired := install(t, s, p)
			if err := repaired.Verify(t.Context(), pack.LevelFull); err != nil {
				t.Errorf("after the repair: %v", err)
			}
			if err := in.Verify(t.Context(), pack.LevelFull); err != nil {
				t.Errorf("after the repair, as opened before: %v", err)
			}
		})
	}
}

// TestQuickAndHashTrees: an image that the guest's kernel checks block by block is
// not read at the start, as long as it is what it is: there, in its length, an
// image. Everything else that is booted is read all the same.
func TestQuickAndHashTrees(t *testing.T) {
	p := packtest.New(t, packtest.Options{Verity: true})
	addOn := packtest.NewAddOn(t, "media", p)
	image := packtest.Image("rootfs")
	// A tree that nobody will look at protects nothing.
	named := packtest.New(t, packtest.Options{Files: with(packtest.Files(), "guest/rootfs.img", image), Header: spec.Manifest{Layers: []spec.Layer{{
		Name: "other", Version: "1.0.0", Path: "guest/rootfs.img", Verity: p.Manifest.Layers[0].Verity,
	}}}})
	kernel := packtest.New(t, packtest.Options{Files: with(packtest.Files(), "guest/vmlinux", image), Header: spec.Manifest{Layers: []spec.Layer{{
		Name: spec.BaseLayer, Version: "1.0.0", Path: "guest/vmlinux", Verity: p.Manifest.Layers[0].Verity,
	}}}})
	for _, tc := range []struct {
		name  string
		p     *packtest.Pack
		harm  func(*testing.T, func(string) string)
		quick spec.Kind
	}{
		{"nothing", p, func(*testing.T, func(string) string) {}, ""},
		{"flipped byte in the root image", p, overwrite("guest/rootfs.img", "R"+image[1:]), ""},
		{"flipped byte in its tree", p, overwrite("guest/rootfs.img", image[:len(image)-1]+"x"), ""},
		{"root image cut by a byte", p, overwrite("guest/rootfs.img", image[:len(image)-1]), spec.KindWrongSize},
		{"root image cut by its tree", p, overwrite("guest/rootfs.img", image[:len(image)-spec.VerityBlock]), spec.KindWrongSize},
		{"root image grown", p, overwrite("guest/rootfs.img", image+"x"), spec.KindWrongSize},
		{"no root image", p, remove("guest/rootfs.img"), spec.KindMissingFile},
		{"flipped byte in the kernel", p, overwrite("guest/vmlinux", "Kernel"), spec.KindFlippedByte},
		{"flipped byte in QEMU", p, overwrite("qemu/bin/qemu-system-x86_64", "#!/bin/sh\nexit 0\n"), spec.KindFlippedByte},
		{"flipped byte in the work image", p, overwrite("guest/work.qcow2", "WORK"), spec.KindFlippedByte},
		{"another root hash", p, change(spec.ManifestName, p.Manifest.BaseRoot(), strings.Repeat("0", 64)), spec.KindBadSignature},
		{"flipped byte in the image of another layer", named, overwrite("guest/rootfs.img", "R"+image[1:]), spec.KindFlippedByte},
		{"flipped byte in a kernel that is called a layer", kernel, overwrite("guest/vmlinux", "R"+image[1:]), spec.KindFlippedByte},
		{"flipped byte in an add-on", addOn, overwrite("guest/media.img", "M"+packtest.Image("media")[1:]), ""},
		{"add-on grown", addOn, overwrite("guest/media.img", packtest.Image("media")+"x"), spec.KindWrongSize},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := install(t, newStore(t), tc.p)
			tc.harm(t, func(name string) string { return filepath.Join(in.Dir, name) })
			if err := in.Verify(t.Context(), pack.LevelQuick); spec.KindOf(err) != tc.quick || (err == nil) != (tc.quick == "") {
				t.Errorf("quick: got %v, want %q", err, tc.quick)
			}
			restore := tc.quick
			if strings.Contains(tc.name, "kernel") { // what a restored machine does not read
				restore = ""
			}
			if err := in.Verify(t.Context(), pack.LevelRestore); spec.KindOf(err) != restore || (err == nil) != (restore == "") {
				t.Errorf("to restore: got %v, want %q", err, restore)
			}
			full := tc.quick
			if full == "" && tc.name != "nothing" {
				full = spec.KindFlippedByte
			}
			if err := in.Verify(t.Context(), pack.LevelFull); spec.KindOf(err) != full || (err == nil) != (full == "") {
				t.Errorf("full: got %v, want %q", err, full)
			}
		})
	}
}

// with is a pack's files with another content of one.
func with(files map[string]string, name, content string) map[string]string {
	files[name] = content
	return files
}

// TestOpenDir: an unpacked pack is held to the same rules, all of them.
func TestOpenDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks and modes")
	}
	signer := packtest.NewSigner(t)
	p := packtest.New(t, packtest.Options{Signer: signer})
	in, err := pack.OpenDir(t.Context(), p.Dir, p.Keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if in.Dir != p.Dir || !in.Developer || in.SignedBy != signer.Key.Name || len(in.ManifestSHA256) != 64 {
		t.Errorf("%+v", in)
	}
	for _, tc := range damages {
		t.Run(tc.name, func(t *testing.T) {
			p := packtest.New(t, packtest.Options{Signer: signer})
			tc.harm(t, func(name string) string { return filepath.Join(p.Dir, name) })
			_, err := pack.OpenDir(t.Context(), p.Dir, p.Keys, spec.Policy{})
			if tc.name == "everything gone" {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("got %v, want that it does not exist", err)
				}
				return
			}
			if spec.KindOf(err) != tc.kind {
				t.Errorf("got %v, want %s", err, tc.kind)
			}
		})
	}
}

// TestOpenDirKeys: who may sign an unpacked pack.
func TestOpenDirKeys(t *testing.T) {
	p := packtest.New(t, packtest.Options{})
	other := packtest.NewSigner(t)
	public, err := p.Signer.Sign.PublicKey()
	check(t, err)
	asRelease, err := trust.NewKey("release", trust.Release, public)
	check(t, err)
	ring := func(keys ...trust.Key) *trust.KeyRing {
		r, err := trust.NewKeyRing(keys...)
		check(t, err)
		return r
	}
	for name, tc := range map[string]struct {
		keys   *trust.KeyRing
		policy spec.Policy
		kind   spec.Kind
	}{
		"a developer key": {ring(other.Key, p.Signer.Key), spec.Policy{}, ""},
		"nobody":          {ring(), spec.Policy{}, spec.KindForeignKey},
		"no ring":         {nil, spec.Policy{}, spec.KindForeignKey},
		"somebody else":   {ring(other.Key), spec.Policy{}, spec.KindForeignKey},
		"a release key":   {ring(asRelease), spec.Policy{}, spec.KindForeignKey},
		"another machine": {p.Keys, spec.Policy{HostArch: "s390x"}, spec.KindWrongPlatform},
		"any machine":     {p.Keys, spec.Policy{HostArch: "s390x", AnyPlatform: true}, ""},
	} {
		if _, err := pack.OpenDir(t.Context(), p.Dir, tc.keys, tc.policy); spec.KindOf(err) != tc.kind || err != nil && tc.kind == "" {
			t.Errorf("%s: got %v, want %q", name, err, tc.kind)
		}
	}
	// A store takes packs by release keys.
	s := newStore(t)
	in, err := pack.Install(t.Context(), p.File, s, ring(asRelease), pack.InstallOptions{})
	if err != nil || in.Developer || in.SignedBy != "release" {
		t.Errorf("%+v, %v", in, err)
	}
	// And no longer when the key is gone from the ring.
	if _, err := s.Current(ring(other.Key), spec.Policy{}); spec.KindOf(err) != spec.KindForeignKey {
		t.Errorf("a key that was taken back: %v", err)
	}
}
