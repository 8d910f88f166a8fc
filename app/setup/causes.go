package setup

import (
	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// Causes of acceleration that does not work. The cause of a problem is the
// accelerator, a dash, and one of these ("whpx-feature"); CauseGuestArch stands
// alone.
const (
	CauseBroken      = "broken"      // everything looks right, and the proof boot fails
	CauseUnexplained = "unexplained" // the proof boot fails, and too little could be looked at
	CauseTranslated  = "translated"  // the program is made for another processor
	CauseOutdated    = "outdated"    // the operating system is too old
	CauseNested      = "nested"      // a virtual machine, and the computer around it keeps virtualization to itself
	CauseWSL1        = "wsl1"        // the first Windows Subsystem for Linux has none
	CauseWSL2        = "wsl2"        // the second has it switched off
	CauseProcessor   = "processor"   // the processor has none
	CauseFirmware    = "firmware"    // the firmware has it switched off
	CauseHidden      = "hidden"      // the processor shows none: it has none or the firmware hides it
	CauseKernel      = "kernel"      // the kernel was updated and its modules are gone until a restart
	CauseNoKVM       = "nokvm"       // this kernel is made without KVM
	CauseModule      = "module"      // the module is not loaded
	CauseMissing     = "missing"     // all of it is there but the device
	CauseConfined    = "confined"    // the program is shut in and may not reach the device
	CausePermission  = "permission"  // the account is not in the device's group
	CauseRelogin     = "relogin"     // it is, from the next log-in on
	CauseRule        = "rule"        // the device belongs to no group that one could join
	CauseDevice      = "device"      // the device fails otherwise
	CauseHeld        = "held"        // another program holds the processor's virtualization
	CauseRestart     = "restart"     // a change of the system waits for a restart
	CauseFeature     = "feature"     // the feature of the system is switched off
	CauseLaunch      = "launch"      // the feature is on and the hypervisor was not started
	CauseUnsupported = "unsupported" // the system does not offer it though the processor could
	CauseRefused     = "refused"     // the system does not let this QEMU use it: its signature lacks the right

	CauseGuestArch = "guest-arch" // the pack is for another processor
)

// rule is one line of a table of precedence.
type rule struct {
	cause   string
	check   string // the check that fails by it, "" for none: then only the boot did
	applies func(Facts) bool
	fix     []string // best first
	restart problem.Restart
}

// windowsWithPlatform is the first build that has the Windows Hypervisor
// Platform: Windows 10 of April 2018.
const windowsWithPlatform = 17134

func absent(f Facts) bool { return f.Device == DeviceMissing }

// precedence holds, for each accelerator, every cause in the order in which they
// must be mended: what is deeper comes first, because what lies above cannot be
// judged before (who joins a group for a device that the firmware keeps from
// working has done so in vain). The first that applies is the cause, and the
// only one that is shown; the last line of each table always applies. That the
// device works, or says itself what is wrong, is better evidence than anything
// that is concluded from elsewhere: such lines come before.
var precedence = map[qemu.Accel][]rule{
	qemu.AccelKVM: {
		{CauseBroken, "", func(f Facts) bool { return f.Device == DeviceWorks },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		{CauseHeld, CheckAccelDevice, func(f Facts) bool { return f.Device == DeviceBusy },
			[]string{problem.FixCloseOther, problem.FixCheckAgain, problem.FixSlowMode}, ""},
		{CauseWSL1, CheckAccelSystem, func(f Facts) bool { return f.WSL == 1 },
			[]string{problem.FixWSLUpgrade, problem.FixSlowMode, problem.FixCheckAgain}, problem.RestartSession},
		{CauseWSL2, CheckAccelCPU, func(f Facts) bool { return f.WSL == 2 && (f.Offered == No || absent(f)) },
			[]string{problem.FixWSLNested, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartSession},
		{CauseNested, CheckAccelCPU, func(f Facts) bool {
			// arm64 has no flag: there the kernel is ready and gets no device.
			return f.Guest == Yes && (f.Offered == No || f.Offered == Unknown && absent(f) && f.Module == Yes)
		}, []string{problem.FixNestedVirt, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseFirmware, CheckAccelFirmware, func(f Facts) bool { return f.Firmware == No },
			[]string{problem.FixFirmware, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseProcessor, CheckAccelCPU, func(f Facts) bool { return f.Capable == No && f.Offered != Yes },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		{CauseHidden, CheckAccelCPU, func(f Facts) bool { return f.Offered == No },
			[]string{problem.FixFirmware, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseConfined, CheckAccelDevice, func(f Facts) bool {
			return f.Confined != "" && (absent(f) || f.Device == DeviceDenied || f.Device == DeviceForbidden)
		}, []string{problem.FixAllowDevice, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartProgram},
		{CauseKernel, CheckAccelSystem, func(f Facts) bool { return absent(f) && f.Module != Yes && f.HasKernel == No },
			[]string{problem.FixRestart, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseNoKVM, CheckAccelSystem, func(f Facts) bool { return absent(f) && f.Module != Yes && f.HasModule == No },
			[]string{problem.FixOtherKernel, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseModule, CheckAccelSystem, func(f Facts) bool { return absent(f) && f.Module == No },
			[]string{problem.FixLoadKVM, problem.FixCheckAgain, problem.FixSlowMode}, ""},
		{CauseMissing, CheckAccelDevice, absent,
			[]string{problem.FixRestart, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseRelogin, CheckAccelDevice, func(f Facts) bool { return f.Device == DeviceDenied && f.Group != "" && f.Member == Yes },
			[]string{problem.FixRelogin, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartSession},
		{CausePermission, CheckAccelDevice, func(f Facts) bool { return f.Device == DeviceDenied && f.Group != "" },
			[]string{problem.FixKVMGroup, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartSession},
		{CauseRule, CheckAccelDevice, func(f Facts) bool { return f.Device == DeviceDenied },
			[]string{problem.FixKVMRule, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartSession},
		{CauseDevice, CheckAccelDevice, func(f Facts) bool { return f.Device == DeviceForbidden || f.Device == DeviceFailed },
			[]string{problem.FixRestart, problem.FixCheckAgain, problem.FixSlowMode, problem.FixShowDetails}, problem.RestartComputer},
		unexplained,
	},
	qemu.AccelWHPX: {
		{CauseTranslated, CheckAccelDevice, func(f Facts) bool { return f.Translated == Yes },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		{CauseBroken, "", func(f Facts) bool { return f.Running == Yes && f.Platform != No },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		{CauseOutdated, CheckAccelSystem, func(f Facts) bool { return f.Build > 0 && f.Build < windowsWithPlatform },
			[]string{problem.FixUpdateOS, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseNested, CheckAccelCPU, func(f Facts) bool { return f.Guest == Yes && f.Running != Yes && (f.Offered == No || f.Firmware == No) },
			[]string{problem.FixNestedVirt, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseProcessor, CheckAccelCPU, func(f Facts) bool { return f.Capable == No && f.Running != Yes },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		{CauseFirmware, CheckAccelFirmware, func(f Facts) bool { return f.Firmware == No && f.Running != Yes },
			[]string{problem.FixFirmware, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseRestart, CheckAccelSystem, func(f Facts) bool { return f.Pending == Yes && (f.Platform == No || f.Running == No) },
			[]string{problem.FixRestart, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseFeature, CheckAccelSystem, func(f Facts) bool { return f.Platform == No },
			[]string{problem.FixWindowsFeature, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseLaunch, CheckAccelDevice, func(f Facts) bool { return f.Running == No },
			[]string{problem.FixHypervisorStart, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		unexplained,
	},
	qemu.AccelHVF: {
		{CauseTranslated, CheckAccelDevice, func(f Facts) bool { return f.Translated == Yes },
			[]string{problem.FixNativeApp, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartProgram},
		{CauseHeld, CheckAccelDevice, func(f Facts) bool { return f.Support != No && f.Refusal == "busy" },
			[]string{problem.FixCloseOther, problem.FixCheckAgain, problem.FixSlowMode}, ""},
		{CauseRefused, CheckAccelDevice, func(f Facts) bool { return f.Support != No && f.Refusal == "denied" },
			[]string{problem.FixRepairPack, problem.FixUpdateApp, problem.FixCheckAgain, problem.FixSlowMode}, ""},
		{CauseBroken, "", func(f Facts) bool { return f.Support == Yes },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		{CauseNested, CheckAccelCPU, func(f Facts) bool { return f.Guest == Yes && (f.Support == No || f.Refusal == "unsupported") },
			[]string{problem.FixNestedVirt, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseUnsupported, CheckAccelSystem, func(f Facts) bool { return f.Support == No && f.Offered == Yes },
			[]string{problem.FixRestart, problem.FixUpdateOS, problem.FixCheckAgain, problem.FixSlowMode}, problem.RestartComputer},
		{CauseProcessor, CheckAccelCPU, func(f Facts) bool { return f.Support == No || f.Refusal == "unsupported" },
			[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""},
		unexplained,
	},
}

// unexplained ends every table.
var unexplained = rule{CauseUnexplained, "", func(Facts) bool { return true },
	[]string{problem.FixSlowMode, problem.FixCheckAgain, problem.FixShowDetails}, ""}

// lead returns the cause that must be mended first, if the boot fails.
func lead(accel qemu.Accel, f Facts) rule {
	for _, r := range precedence[accel] {
		if r.applies(f) {
			return r
		}
	}
	return unexplained
}
