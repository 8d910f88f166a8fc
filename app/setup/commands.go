package setup

import (
	"regexp"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// plain is a name that may stand in a command line for people to copy.
var plain = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// command is the line to type for a fix, "" when there is none. It is shown and
// never run: names that come from this computer are put in only when they need
// no quoting.
func command(code string, accel qemu.Accel, f Facts) string {
	group := "kvm"
	if plain.MatchString(f.Group) {
		group = f.Group
	}
	switch code {
	case problem.FixFirmware:
		switch {
		case f.UEFI != Yes:
		case accel == qemu.AccelKVM:
			return "systemctl reboot --firmware-setup"
		case accel == qemu.AccelWHPX:
			return "shutdown /r /fw /t 0"
		}
	case problem.FixLoadKVM:
		return "sudo modprobe " + moduleOf(f.Vendor)
	case problem.FixKVMGroup:
		return `sudo usermod -aG ` + group + ` "$USER"`
	case problem.FixKVMRule:
		return `sudo groupadd -rf kvm && sudo usermod -aG kvm "$USER" && ` +
			`echo 'KERNEL=="kvm", GROUP="kvm", MODE="0660"' | sudo tee /etc/udev/rules.d/65-kvm.rules && ` +
			`sudo udevadm control --reload && sudo udevadm trigger --sysname-match=kvm`
	case problem.FixAllowDevice:
		switch {
		case f.Confined == "flatpak" && plain.MatchString(f.ConfineID):
			return "flatpak override --user --device=kvm " + f.ConfineID
		case f.Confined == "snap" && plain.MatchString(f.ConfineID):
			return "sudo snap connect " + f.ConfineID + ":kvm"
		case f.Confined == "container":
			return "--device /dev/kvm"
		}
	case problem.FixWSLNested:
		return "[wsl2]\nnestedVirtualization=true"
	case problem.FixNestedVirt:
		return nesting[f.Outer]
	case problem.FixWindowsFeature:
		return "dism /online /enable-feature /featurename:HypervisorPlatform /all"
	case problem.FixHypervisorStart:
		return "bcdedit /set hypervisorlaunchtype auto"
	}
	return ""
}

// NeedsAdmin reports whether a fix is for someone who may administer this computer.
func NeedsAdmin(code string) bool {
	switch code {
	case problem.FixLoadKVM, problem.FixKVMGroup, problem.FixKVMRule, problem.FixWindowsFeature, problem.FixHypervisorStart:
		return true
	}
	return false
}

// moduleOf is the part of KVM for a maker of processors; without one modprobe
// finds out itself by trying both.
func moduleOf(vendor string) string {
	switch vendor {
	case "intel":
		return "kvm_intel"
	case "amd":
		return "kvm_amd"
	default:
		return "-a kvm_intel kvm_amd"
	}
}

// nesting is how the computer around this one is told to pass virtualization
// on, on that computer, where a command does it. NAME is for the person to fill
// in.
var nesting = map[string]string{
	OuterVirtualBox: "VBoxManage modifyvm NAME --nested-hw-virt on",
	OuterHyperV:     "Set-VMProcessor -VMName NAME -ExposeVirtualizationExtensions $true",
	OuterParallels:  "prlctl set NAME --nested-virt on",
	OuterKVM:        "virt-xml NAME --edit --cpu host-passthrough",
}
