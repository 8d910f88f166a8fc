package pack_test

import (
	"path/filepath"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
)

// BenchmarkVerifyQuick is what checking a runtime costs before every start of a
// machine: QEMU, kernel and initramfs have the sizes of a real pack, the root
// image is protected by its hash tree and not read.
func BenchmarkVerifyQuick(b *testing.B) {
	files := packtest.Files()
	for name, size := range map[string]int{
		"qemu/bin/qemu-system-x86_64": 12 << 20, "qemu/share/bios-256k.bin": 256 << 10,
		"guest/vmlinux": 19 << 20, "guest/initramfs.cpio": 12 << 20, "guest/work.qcow2": 256 << 10,
	} {
		files[name] = packtest.Random(filepath.Base(name), size)
	}
	for i := range 300 { // licences
		files["licenses/"+string(rune('a'+i%26))+string(rune('a'+i/26))+"/copyright"] = "text"
	}
	_, in := packtest.New(b, packtest.Options{Files: files, Verity: true}).Install(b)
	var n int64
	for _, r := range []spec.Role{spec.RoleQEMU, spec.RoleKernel, spec.RoleInitrd} {
		for _, f := range in.Manifest.Files {
			if f.Role == r {
				n += f.Size
			}
		}
	}
	b.SetBytes(n)
	for b.Loop() {
		if err := in.Verify(b.Context(), pack.LevelQuick); err != nil {
			b.Fatal(err)
		}
	}
}
