package setup

import "strings"

// Products that a virtual machine runs in, as far as they are told apart.
const (
	OuterVMware     = "vmware"
	OuterVirtualBox = "virtualbox"
	OuterHyperV     = "hyper-v"
	OuterParallels  = "parallels"
	OuterKVM        = "kvm" // QEMU with KVM, and what is built on it
	OuterXen        = "xen"
	OuterCloud      = "cloud" // a rented machine: its owner chooses its kind
	OuterApple      = "apple" // macOS' own virtualization
)

// identity is what the firmware's tables (SMBIOS) say of a computer.
type identity struct{ Vendor, Product, Board, BIOS string }

// outerOf names the product around a virtual machine from the firmware's
// tables, as systemd-detect-virt(1) does, and from the hypervisor's signature in
// CPUID (leaf 0x40000000); "" when neither is known. The tables come first:
// KVM can speak as Hyper-V does.
func outerOf(id identity, signature string) string {
	all := strings.ToLower(id.Vendor + "\n" + id.Product + "\n" + id.Board + "\n" + id.BIOS)
	for _, row := range []struct{ part, product string }{
		{"vmware", OuterVMware},
		{"virtualbox", OuterVirtualBox},
		{"innotek", OuterVirtualBox},
		{"parallels", OuterParallels},
		{"amazon ec2", OuterCloud},
		{"google compute engine", OuterCloud},
		{"alibaba", OuterCloud},
		{"digitalocean", OuterCloud},
		{"hetzner", OuterCloud},
		{"openstack", OuterCloud},
		{"microsoft corporation\nvirtual machine", OuterHyperV},
		{"xen", OuterXen},
		{"apple virtualization", OuterApple},
		{"virtualmac", OuterApple},
		{"qemu", OuterKVM},
		{"kvm", OuterKVM},
		{"bochs", OuterKVM},
	} {
		if strings.Contains(all, row.part) {
			return row.product
		}
	}
	return map[string]string{
		"VMwareVMware": OuterVMware, "VBoxVBoxVBox": OuterVirtualBox, "Microsoft Hv": OuterHyperV,
		" lrpepyh  vr": OuterParallels, "prl hyperv  ": OuterParallels, "KVMKVMKVM\x00\x00\x00": OuterKVM,
		"TCGTCGTCGTCG": OuterKVM, "XenVMMXenVMM": OuterXen,
	}[signature]
}
