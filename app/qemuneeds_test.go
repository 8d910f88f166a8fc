package app

import (
	"slices"
	"strings"
	"testing"

	build "piwork/pack/image/qemu"
	"piwork/vmhost/qemu"
)

// What stands on a command line, every QEMU of a pack is held to.
func TestPacksHaveWhatMachinesNeed(t *testing.T) {
	for _, target := range []build.Target{
		{OS: "linux", Arch: "amd64", Guest: "x86_64"}, {OS: "linux", Arch: "arm64", Guest: "aarch64"}, {OS: "windows", Arch: "amd64", Guest: "x86_64"},
		{OS: "darwin", Arch: "arm64", Guest: "aarch64"}, {OS: "darwin", Arch: "amd64", Guest: "x86_64"},
	} {
		needs := append(target.Needs(), build.Ours()...)
		img := qemu.Image{Program: []string{"qemu"}, DataDir: "/share", Arch: target.Guest, Kernel: "/kernel", Initrd: "/initrd", RootFS: "/root", WorkBase: "/work"}
		accel := map[string]qemu.Accel{"linux": qemu.AccelKVM, "windows": qemu.AccelWHPX, "darwin": qemu.AccelHVF}[target.OS]
		s := qemu.Spec{
			Host: target.OS, Image: img, Accel: accel, Console: "/c", Overlay: "/o", Ports: []qemu.Port{{Name: "piwork.rpc", Socket: "/r"}}, Folders: "/9p",
		}
		if qemu.CanTemplate(target.OS, accel) {
			s.RAM = &qemu.RAMFile{Path: "/ram"}
		}
		a := qemu.CommandLine(s)
		for i, v := range a[:len(a)-1] {
			name, _, _ := strings.Cut(a[i+1], ",")
			switch v {
			case "-device", "-object":
			case "-accel":
				name += "-accel"
			case "-chardev":
				if name == "pipe" {
					continue // Windows' own
				}
				name = "chardev-" + name
			default:
				continue
			}
			if !slices.Contains(needs, name) && !slices.Contains(needs, name+"-non-transitional") {
				t.Errorf("%s: %s %s is not among what a QEMU must have", target, v, a[i+1])
			}
		}
	}
}
