package setup

import (
	"errors"
	"io/fs"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// Device is what the operating system says about acceleration. It explains a
// proof boot that failed; it never stands for one.
type Device struct {
	Looked     bool   // false where this OS has nothing to look at: the rest means nothing then
	Path       string // of the device, e.g. "/dev/kvm"
	Err        error  // of opening it for reading and writing; nil when that works
	CPUFlag    string // "vmx", "svm", "" when the processor shows neither
	CPULooked  bool   // false when the processor's flags could not be read
	Hypervisor bool   // this computer is a virtual machine itself
	CPU        string // model name
}

// explain names the cause of a proof boot that failed with a native accelerator
// and what a person can do, best first. It says no more than what was seen.
func (d Device) explain(accel qemu.Accel) (cause string, fix []problem.Fix, params map[string]any) {
	params = map[string]any{"accel": string(accel)}
	name := string(accel)
	if d.Looked {
		params["device"] = d.Path
	}
	if d.CPULooked {
		params["cpuFlag"] = d.CPUFlag
		params["hypervisor"] = d.Hypervisor
	}
	switch {
	case !d.Looked || d.Err == nil:
		return name + "-broken", problem.Fixes(problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails), params
	case errors.Is(d.Err, fs.ErrPermission):
		return name + "-permission", problem.Fixes(problem.FixKVMGroup, problem.FixCheckAgain, problem.FixSlowMode), params
	case !errors.Is(d.Err, fs.ErrNotExist):
		return name + "-device", problem.Fixes(problem.FixCheckAgain, problem.FixSlowMode, problem.FixShowDetails), params
	case d.CPULooked && d.CPUFlag == "" && d.Hypervisor:
		return name + "-missing", problem.Fixes(problem.FixNestedVirt, problem.FixCheckAgain, problem.FixSlowMode), params
	case d.CPULooked && d.CPUFlag == "":
		return name + "-missing", problem.Fixes(problem.FixFirmware, problem.FixCheckAgain, problem.FixSlowMode), params
	default:
		return name + "-missing", problem.Fixes(problem.FixLoadKVM, problem.FixCheckAgain, problem.FixSlowMode), params
	}
}

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
