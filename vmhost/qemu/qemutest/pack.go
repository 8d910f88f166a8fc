package qemutest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"testing"

	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/vmhost/qemu"
)

// PackImage returns the image in the unpacked runtime pack that the environment
// names, and skips the test without one. It checks no signature: what runs in
// tests was built for them.
func PackImage(t testing.TB) qemu.Image {
	t.Helper()
	in := packtest.Unpacked(t)
	emulator, err := in.Emulator()
	if err != nil {
		t.Fatal(err)
	}
	a := in.Manifest.Abilities()
	img := qemu.Image{
		Program: emulator.Command, Env: emulator.Env, DataDir: emulator.DataDir, Arch: in.Manifest.GuestArch,
		Limits: qemu.Limits{OneEmulatedCPU: !a.EmulatedProcessors, KeepsPrivateMemory: !a.PrivateMemory, No9PDevice: !a.Device9P},
	}
	for role, to := range map[spec.Role]*string{
		spec.RoleKernel: &img.Kernel, spec.RoleInitrd: &img.Initrd, spec.RoleRootFS: &img.RootFS, spec.RoleWork: &img.WorkBase,
	} {
		if *to, err = in.Path(role); err != nil {
			t.Fatal(err)
		}
	}
	// Any change of the pack changes a size or a time.
	h := sha256.New()
	for _, f := range append([]string{img.Kernel, img.Initrd, img.RootFS, img.WorkBase}, img.Program...) {
		if fi, err := os.Stat(f); err == nil {
			fmt.Fprintf(h, "%s %d %d\n", f, fi.Size(), fi.ModTime().UnixNano())
		}
	}
	for _, l := range in.Manifest.Layers {
		if l.Name == spec.BaseLayer && l.Verity != nil {
			img.Verity = &qemu.Verity{RootHash: l.Verity.RootHash, Salt: l.Verity.Salt, DataBlocks: l.Verity.DataBlocks}
		}
	}
	img.ID = hex.EncodeToString(h.Sum(nil))
	return img
}

// Needs skips a test of what the runtime pack that the environment names cannot do.
func Needs(t testing.TB, ability string, has func(spec.Abilities) bool) {
	t.Helper()
	packtest.Needs(t, ability, has)
}
