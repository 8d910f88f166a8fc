package app

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"piwork/pack"
	"piwork/vmhost/qemu"
)

func TestImageOf(t *testing.T) {
	files := func(roles ...string) *pack.Installed {
		in := &pack.Installed{Dir: "/p", ManifestSHA256: "abc", Manifest: pack.Manifest{GuestArch: "x86_64"}}
		for i := 0; i < len(roles); i += 2 {
			in.Manifest.Files = append(in.Manifest.Files, pack.File{Role: pack.Role(roles[i]), Path: roles[i+1]})
		}
		return in
	}
	guest := []string{"kernel", "guest/vmlinux", "initrd", "guest/initramfs.cpio", "rootfs", "guest/rootfs.img", "work", "guest/work.qcow2"}
	relocated := append(slices.Clone(guest),
		"qemu", "qemu/bin/qemu-system-x86_64", "qemu-loader", "qemu/lib/ld.so", "qemu-lib", "qemu/lib/a.so", "qemu-lib", "qemu/lib/b.so", "qemu-lib", "qemu/lib/sub/c.so",
		"qemu-module", "qemu/modules/tcg.so", "firmware", "qemu/share/bios.bin", "firmware", "qemu/share/keymaps/de")
	got, err := ImageOf(files(relocated...))
	want := qemu.Image{
		Program: []string{"/p/qemu/lib/ld.so", "--inhibit-cache", "--library-path", "/p/qemu/lib:/p/qemu/lib/sub", "/p/qemu/bin/qemu-system-x86_64"},
		Env:     []string{"LC_ALL=C", "QEMU_MODULE_DIR=/p/qemu/modules"}, DataDir: "/p/qemu/share", Arch: "x86_64",
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
		if _, err := ImageOf(files(without...)); !errors.Is(err, pack.ErrNoRole) {
			t.Errorf("without %s: %v", static[i], err)
		}
	}
	if _, err := ImageOf(files(append(relocated, "qemu-loader", "qemu/lib/ld2.so")...)); !errors.Is(err, pack.ErrNoRole) {
		t.Errorf("with two loaders: %v", err)
	}
}
