package setup

import "piwork/vmhost/qemu"

// Known is an answer that may be missing: a check that could not be made says
// so, and no cause is concluded from it.
type Known uint8

// Answers. The zero value is the missing one.
const (
	Unknown Known = iota
	No
	Yes
)

// known makes an answer of a look that succeeded.
func known(yes bool) Known {
	if yes {
		return Yes
	}
	return No
}

// DeviceState is what opening /dev/kvm and asking it for a machine gave.
type DeviceState string

// States of the device.
const (
	DeviceUnknown   DeviceState = ""
	DeviceWorks     DeviceState = "works"     // it is the right version and makes machines
	DeviceMissing   DeviceState = "missing"   // not there, or nothing behind it (ENOENT, ENODEV, ENXIO)
	DeviceDenied    DeviceState = "denied"    // file permissions (EACCES)
	DeviceForbidden DeviceState = "forbidden" // whatever the permissions say (EPERM): a cage around the program
	DeviceBusy      DeviceState = "busy"      // another program holds the processor's virtualization (EBUSY)
	DeviceFailed    DeviceState = "failed"    // anything else
)

// Facts is what was seen of a computer without starting anything. It explains
// a proof boot that failed; it never stands for one. A zero field was not
// looked at, or does not exist on this system.
type Facts struct {
	// The processor and the firmware.
	CPU       string // model name
	Vendor    string // "intel", "amd", "" for others
	Flag      string // "vmx" or "svm" when the processor offers it to this system
	Offered   Known  // whether there is a Flag
	Capable   Known  // whether the processor has it at all (CPUID), offered or not
	Firmware  Known  // whether the firmware lets it be used, where the system says so
	UEFI      Known  // whether the firmware can be entered by a command
	Maker     string // of the mainboard or the computer, see makerOf
	Guest     Known  // this computer is a virtual machine itself
	Outer     string // the product that it runs in, see outerOf; "" when not known
	Confined  string // what this program is shut in: "container", "flatpak", "snap"
	ConfineID string // by what name the flatpak or the snap is known
	// Translated: this program is made for another processor and the system
	// translates it (Rosetta, Windows on ARM).
	Translated Known

	LinuxFacts
	MacFacts
	WindowsFacts
}

// WindowsFacts are about the Windows Hypervisor Platform.
type WindowsFacts struct {
	Build    int    // of the system, e.g. 19045
	Edition  string // e.g. "Core" for Home
	Platform Known  // the feature Windows Hypervisor Platform is switched on
	Running  Known  // its hypervisor runs
	Pending  Known  // a change waits for a restart
}

// MacFacts are about Hypervisor.framework.
type MacFacts struct {
	Support Known  // whether the system offers it
	Refusal string // why it refused the proof boot: "busy", "denied", "unsupported"
}

// LinuxFacts are about KVM.
type LinuxFacts struct {
	WSL       int // 1 or 2 inside the Windows Subsystem for Linux
	Device    DeviceState
	Path      string // of the device
	DeviceErr error  // the error of opening it or of making a machine
	Module    Known  // the processor's part of KVM is loaded or built in
	HasModule Known  // the running kernel has it to load
	HasKernel Known  // the modules of the running kernel are there: an update takes them away
	Blocked   string // the file that forbids loading it
	Group     string // owner of the device when the group may use it, else ""
	Member    Known  // the account belongs to Group, from its next log-in on
	Holder    string // "virtualbox" or "vmware" when its module is loaded
}

// Looker looks at this computer. It takes milliseconds and changes nothing.
type Looker func() Facts

// NativeAccel returns the accelerator that an operating system offers, "" when
// it offers none that QEMU could use. goos is as runtime.GOOS.
func NativeAccel(goos string) qemu.Accel {
	switch goos {
	case "linux":
		return qemu.AccelKVM
	case "darwin":
		return qemu.AccelHVF
	case "windows":
		return qemu.AccelWHPX
	default:
		return ""
	}
}

// guestFits reports whether a processor can run a guest natively. goarch is as
// runtime.GOARCH, guest as qemu.Image.Arch.
func guestFits(goarch, guest string) bool {
	return guest == map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch]
}
