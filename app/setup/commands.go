package setup

import (
	"strings"

	"piwork/app/problem"
	"piwork/app/setup/elevate"
	"piwork/pack/lazyregexp"
	"piwork/vmhost/qemu"
)

// plain is a name that may stand in a command line for people to copy.
var plain = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// command is the line to type for a fix, "" when there is none. It is shown and
// never run: names that come from this computer are put in only when they need
// no quoting.
func command(code string, accel qemu.Accel, f Facts) string {
	group := "kvm"
	if plain().MatchString(f.Group) {
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
		case f.Confined == "flatpak" && plain().MatchString(f.ConfineID):
			return "flatpak override --user --device=kvm " + f.ConfineID
		case f.Confined == "snap" && plain().MatchString(f.ConfineID):
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

// administered is what an administrator runs for a fix; false where there is nothing
// that a program could do for the person. It does what command says. Names that come
// from this computer are arguments of their own, and plain.
func administered(code string, f Facts, account string) (elevate.Act, bool) {
	if f.Confined != "" { // in there nobody is an administrator of this computer
		return elevate.Act{}, false
	}
	switch code {
	case problem.FixLoadKVM:
		return elevate.Act{Program: "modprobe", Args: strings.Fields(moduleOf(f.Vendor))}, true
	case problem.FixKVMGroup:
		return elevate.Act{Program: "usermod", Args: []string{"-aG", f.Group, account}},
			plain().MatchString(f.Group) && plain().MatchString(account)
	case problem.FixKVMRule:
		return elevate.Act{Program: "sh", Script: kvmRule, Args: []string{account}}, plain().MatchString(account)
	case problem.FixWindowsFeature:
		return elevate.Act{
			Program: "dism", Args: []string{"/online", "/enable-feature", "/featurename:HypervisorPlatform", "/all", "/norestart", "/quiet"},
			Fine: []int{restartNeeded},
		}, true
	case problem.FixHypervisorStart:
		return elevate.Act{Program: "bcdedit", Args: []string{"/set", "hypervisorlaunchtype", "auto"}}, true
	}
	return elevate.Act{}, false
}

// restartNeeded is ERROR_SUCCESS_REBOOT_REQUIRED.
const restartNeeded = 3010

// kvmRule gives /dev/kvm a group, now and at every start, and puts $1 into it.
const kvmRule = `PATH=/usr/sbin:/usr/bin:/sbin:/bin; groupadd -rf kvm && usermod -aG kvm "$1" && ` +
	`echo 'KERNEL=="kvm", GROUP="kvm", MODE="0660"' > /etc/udev/rules.d/65-kvm.rules && ` +
	`udevadm control --reload && udevadm trigger --sysname-match=kvm`

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
