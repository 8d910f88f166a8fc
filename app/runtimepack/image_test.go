package runtimepack

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/vmhost/qemu"
)

func TestImageOf(t *testing.T) {
	files := func(roles ...string) *pack.Installed {
		in := &pack.Installed{Dir: "/p", ManifestSHA256: "abc", Manifest: spec.Manifest{GuestArch: "x86_64"}}
		for i := 0; i < len(roles); i += 2 {
			in.Manifest.Files = append(in.Manifest.Files, spec.File{Role: spec.Role(roles[i]), Path: roles[i+1]})
		}
		return in
	}
	guest := []string{"kernel", "guest/vmlinux", "initrd", "guest/initramfs.cpio", "rootfs", "guest/rootfs.img", "work", "guest/work.qcow2"}
	relocated := append(slices.Clone(guest),
		"qemu", "qemu/bin/qemu-system-x86_64", "qemu-loader", "qemu/lib/ld.so", "qemu-lib", "qemu/lib/a.so", "qemu-lib", "qemu/lib/b.so", "qemu-lib", "qemu/lib/sub/c.so",
		"qemu-bundle", "qemu/lib/qemu-bundle/README", "firmware", "qemu/share/bios.bin", "firmware", "qemu/share/keymaps/de")
	got, err := ImageOf(files(relocated...))
	want := qemu.Image{
		Program: []string{"/p/qemu/lib/ld.so", "--inhibit-cache", "--library-path", "/p/qemu/lib:/p/qemu/lib/sub", "/p/qemu/bin/qemu-system-x86_64"},
		Env:     []string{"LC_ALL=C"}, DataDir: "/p/qemu/share", Arch: "x86_64",
		Kernel: "/p/guest/vmlinux", Initrd: "/p/guest/initramfs.cpio", RootFS: "/p/guest/rootfs.img", WorkBase: "/p/guest/work.qcow2", ID: "abc",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	static := append(slices.Clone(guest), "qemu", "qemu/qemu")
	if got, err := ImageOf(files(static...)); err != nil || !slices.Equal(got.Program, []string{"/p/qemu/qemu"}) || len(got.Env) != 1 || got.DataDir != "" {
		t.Errorf("%+v, %v", got, err)
	}
	for i := 0; i < len(static); i += 2 {
		without := slices.Delete(slices.Clone(static), i, i+2)
		if _, err := ImageOf(files(without...)); !errors.Is(err, spec.ErrNoRole) {
			t.Errorf("without %s: %v", static[i], err)
		}
	}
	if _, err := ImageOf(files(append(relocated, "qemu-loader", "qemu/lib/ld2.so")...)); !errors.Is(err, spec.ErrNoRole) {
		t.Errorf("with two loaders: %v", err)
	}
}

// What protects an image block by block comes out of the signed manifest.
func TestImageProtection(t *testing.T) {
	base := &pack.Installed{Dir: "/p", Manifest: spec.Manifest{Name: "piwork-runtime", Files: []spec.File{
		{Role: spec.RoleKernel, Path: "k"}, {Role: spec.RoleInitrd, Path: "i"}, {Role: spec.RoleRootFS, Path: "r"}, {Role: spec.RoleWork, Path: "w"}, {Role: spec.RoleQEMU, Path: "q"},
	}}}
	base.Manifest.Layers = []spec.Layer{{Name: spec.BaseLayer, Path: "r", Verity: &spec.Verity{RootHash: "0a", Salt: "0b", DataBlocks: 7}}}
	if img, err := ImageOf(base); err != nil || img.Verity == nil || *img.Verity != (qemu.Verity{RootHash: "0a", Salt: "0b", DataBlocks: 7}) {
		t.Errorf("%+v, %v", img, err)
	}
	base.Manifest.Layers[0].Verity = nil
	if img, err := ImageOf(base); err != nil || img.Verity != nil {
		t.Errorf("%+v, %v", img, err)
	}
	addOn := &pack.Installed{Dir: "/a", Manifest: spec.Manifest{
		Name: spec.AddOnPrefix + "media", Files: []spec.File{{Role: spec.RoleLayer, Path: "guest/media.img"}},
		Layers: []spec.Layer{{Name: "media", Path: "guest/media.img", Base: "0a", Verity: &spec.Verity{RootHash: "0c", DataBlocks: 8}}},
	}}
	want := qemu.Layer{Name: "media", File: "/a/guest/media.img", Verity: &qemu.Verity{RootHash: "0c", DataBlocks: 8}}
	if got, err := LayerOf(addOn); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	addOn.Manifest.Layers[0].Verity = nil
	if got, err := LayerOf(addOn); err == nil {
		t.Errorf("an add-on without protection: %+v", got)
	}
	if got, err := LayerOf(base); err == nil {
		t.Errorf("a runtime as an add-on: %+v", got)
	}
}
