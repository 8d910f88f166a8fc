package qemu

import "slices"

// needs are names that a QEMU must have compiled in, for what vmhost/qemu puts on
// its command lines. A test there compares the two.
type needs struct {
	names    []string // constants of the program
	firmware []string // files in share/
}

// everywhere are devices and back ends of every machine.
var everywhere = []string{
	// The short names of these also stand in lists of old machines' properties.
	"virtio-serial-pci-non-transitional", "virtio-blk-pci-non-transitional", "virtio-net-pci-non-transitional",
	"virtio-rng-pci-non-transitional", "virtio-balloon-pci-non-transitional",
	"virtserialport", "chardev-stdio", "chardev-socket", "memory-backend-ram", "qcow2", "tcg-accel",
}

var needsOf = map[string]needs{
	"x86_64":  {names: []string{"pc", "isa-serial", "vmgenid"}, firmware: []string{"bios-256k.bin", "kvmvapic.bin", "linuxboot_dma.bin", "pvh.bin"}},
	"aarch64": {names: []string{"virt", "pl011", "pcie-root-port"}},
}

// ours are devices of our patches.
var ours = []string{"virtio-9p-chardev-pci"}

// Ours are the names of what our patches add, which a QEMU that others built does without
// (spec.Abilities).
func Ours() []string { return slices.Clone(ours) }

// archOf is the processor of guests, as GOARCH.
var archOf = map[string]string{"x86_64": "amd64", "aarch64": "arm64"}

// Needs are the names that a QEMU for the target must have.
func (t Target) Needs() []string {
	names := append(append([]string{}, everywhere...), needsOf[t.Guest].names...)
	if t.OS != "windows" { // QEMU does not have it there
		names = append(names, "memory-backend-file")
	}
	if t.OS == "linux" {
		names = append(names, "elevateprivileges") // of -sandbox
	}
	if archOf[t.Guest] == t.Arch {
		switch t.OS {
		case "darwin":
			names = append(names, "hvf-accel")
		case "windows":
			names = append(names, "whpx-accel")
		default:
			names = append(names, "kvm-accel")
		}
	}
	return names
}

// Firmware are the files that machines of the target open below -L.
func (t Target) Firmware() []string { return append([]string{}, needsOf[t.Guest].firmware...) }
