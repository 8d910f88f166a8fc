package cli

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/pack"
)

// The words of a computer that is not ready yet.

// accelWords say why acceleration does not work; by the part of the cause
// behind the accelerator, or by all of it where the systems differ.
var accelWords = map[string]string{
	setup.CauseBroken:      "This computer offers acceleration, but the workroom does not open with it: acceleration is there but does not work.",
	setup.CauseUnexplained: "The workroom does not open with acceleration on this computer, and nothing that was looked at says why.",
	setup.CauseTranslated:  "This piwork is made for another processor than this computer's, so it cannot use acceleration.",
	setup.CauseOutdated:    "This version of the system (build {build}) has no acceleration for piwork yet. | This version of the system has no acceleration for piwork yet.",
	setup.CauseNested:      "This computer is itself a virtual one ({outer}), and the computer around it does not pass virtualization on. | This computer is itself a virtual one, and the computer around it does not pass virtualization on.",
	setup.CauseWSL1:        "The first Windows Subsystem for Linux (WSL 1) has no acceleration.",
	setup.CauseWSL2:        "Virtualization is switched off in the Windows Subsystem for Linux (WSL 2).",
	setup.CauseProcessor:   "The processor of this computer has no virtualization, and that cannot be changed.",
	setup.CauseFirmware:    "Virtualization is switched off in this computer's firmware.",
	setup.CauseHidden:      "The processor shows no virtualization. Often it is only switched off in the computer's firmware.",
	setup.CauseKernel:      "The system was updated and waits for a restart of the computer; until then acceleration cannot be switched on.",
	setup.CauseNoKVM:       "The kernel of this system is made without acceleration (KVM).",
	setup.CauseModule:      "Acceleration (KVM) is switched off in the system: {blocked} forbids it. | Acceleration (KVM) is not switched on in the system.",
	setup.CauseMissing:     "Acceleration (KVM) is in the system, but {device} is missing. | Acceleration (KVM) is in the system, but its device is missing.",
	setup.CauseConfined:    "piwork runs shut in ({confined}) and may not reach {device}. | piwork runs shut in and may not reach the acceleration of this computer.",
	setup.CausePermission:  "Your account may not use the acceleration of this computer: it is not in the group {group}. | Your account may not use the acceleration of this computer.",
	setup.CauseRelogin:     "Your account may use the acceleration of this computer from the next log-in on.",
	setup.CauseRule:        "Only the administrator may use the acceleration of this computer ({device}). | Only the administrator may use the acceleration of this computer.",
	setup.CauseDevice:      "The acceleration of this computer ({device}) could not be used. | The acceleration of this computer could not be used.",
	setup.CauseHeld:        "Another program ({holder}) holds the acceleration of this computer right now. | Another program holds the acceleration of this computer right now.",
	setup.CauseRestart:     "Windows waits for a restart; until then acceleration is not on.",
	setup.CauseFeature:     "The Windows feature “Windows Hypervisor Platform” is switched off.",
	setup.CauseLaunch:      "The Windows Hypervisor Platform is installed, but Windows did not start it.",
	setup.CauseUnsupported: "macOS does not offer virtualization here, although the processor has it.",
	setup.CauseRefused:     "macOS does not let the workroom use virtualization: its program is not signed for it.",
	setup.CauseGuestArch:   "The installed runtime pack is for another kind of processor ({guest}) than this computer's ({host}).",

	"whpx-" + setup.CauseTranslated: "This computer has an ARM processor, and this piwork is for the other kind. It cannot use acceleration here.",
	"hvf-" + setup.CauseTranslated:  "This piwork is made for Macs with an Intel processor, and this Mac has an Apple one. So it cannot use acceleration.",
}

// accelCause returns the words of a cause, "" when there are none.
func accelCause(cause string) string {
	if text, ok := accelWords[cause]; ok {
		return text
	}
	_, rest, _ := strings.Cut(cause, "-")
	return accelWords[rest]
}

// setupFixText are the next steps; see fixText.
var setupFixText = map[string]string{
	problem.FixCheckAgain: "check again: piwork doctor",
	problem.FixSlowMode: "work slowly without it (the workroom then opens within {slow} here): add --accel tcg, or set PIWORK_ACCEL=tcg | " +
		"work slowly without it (usually five to ten times slower): add --accel tcg, or set PIWORK_ACCEL=tcg",
	problem.FixFastMode: "to use the acceleration again, leave out --accel tcg and unset PIWORK_ACCEL",
	problem.FixKVMGroup: "join the group that may use it",
	problem.FixKVMRule:  "make a group that may use it, and join it",
	problem.FixRelogin:  "log out and in again",
	problem.FixLoadKVM: "take the line out of {blocked}, then switch it on (if that answers “not supported”, virtualization is off in the firmware) | " +
		"switch it on in the system (if that answers “not supported”, virtualization is off in the firmware)",
	problem.FixFirmware: "restart, and press {firmwareKey} right after switching on; find {firmwarePath} (names differ a little), switch it on, save | " +
		"switch virtualization on in the settings of this computer's firmware (Intel VT-x, AMD SVM), then check again",
	problem.FixNestedVirt:      "shut this virtual computer down and switch nested virtualization on for it on the computer around it ({outer}) | shut this virtual computer down and switch nested virtualization on for it on the computer around it",
	problem.FixRestart:         "restart the computer",
	problem.FixOtherKernel:     "install the usual kernel of your distribution, and restart with it",
	problem.FixAllowDevice:     "allow piwork to use the device; for a container, start it with | allow piwork to use the device",
	problem.FixCloseOther:      "end every virtual machine of {holder}, then check again | end the other program that runs virtual machines (VirtualBox, VMware, an emulator), then check again",
	problem.FixWSLUpgrade:      "use piwork for Windows, or move this Linux to WSL 2 (in Windows: wsl --set-version NAME 2)",
	problem.FixWSLNested:       "put these lines into the file .wslconfig in your Windows user folder, then in Windows: wsl --shutdown (needs Windows 11)",
	problem.FixWindowsFeature:  "Start menu > “Turn Windows features on or off” > tick “Windows Hypervisor Platform” > OK; or in a terminal as administrator",
	problem.FixHypervisorStart: "in a terminal as administrator, let Windows start it (VirtualBox and VMware then run through it, too)",
	problem.FixUpdateOS:        "install the updates of the system",
	problem.FixNativeApp:       "install the piwork for this kind of processor (Apple silicon)",
}

// restartWords say what has to start anew after the fix.
var restartWords = map[problem.Restart]string{
	problem.RestartProgram:  "Then start piwork again.",
	problem.RestartSession:  "Then log out and in again.",
	problem.RestartComputer: "Then restart the computer.",
}

// restartLine says what has to start anew, unless a step has said it already.
func restartLine(p problem.Problem) string {
	for _, f := range p.Fix {
		switch f.Code {
		case problem.FixRestart, problem.FixRelogin, problem.FixFirmware, problem.FixNestedVirt, problem.FixWSLNested, problem.FixNativeApp:
			return ""
		}
	}
	return restartWords[p.Restart]
}

// productWords name what virtual machines run in.
var productWords = map[string]string{
	setup.OuterVMware: "VMware", setup.OuterVirtualBox: "VirtualBox", setup.OuterHyperV: "Hyper-V", setup.OuterParallels: "Parallels",
	setup.OuterKVM: "KVM", setup.OuterXen: "Xen", setup.OuterCloud: "a rented computer", setup.OuterApple: "macOS",
	"flatpak": "Flatpak", "snap": "Snap", "container": "a container",
}

// spoken is the parameters of a problem with names and numbers as people say
// them.
func spoken(params map[string]any) map[string]any {
	out := maps.Clone(params)
	for _, name := range []string{"outer", "holder", "confined"} {
		if code, ok := params[name].(string); ok && productWords[code] != "" {
			out[name] = productWords[code]
		}
	}
	if ms, ok := number(params["slowMs"]); ok && ms > 0 {
		out["slow"] = fmt.Sprintf("%.1f seconds", (time.Duration(ms) * time.Millisecond).Seconds())
	}
	return out
}

// checkWords name the checks.
var checkWords = map[string]string{
	setup.CheckPackInstalled: "Runtime pack installed",
	setup.CheckPackVerified:  "Runtime pack as it was signed",
	setup.CheckAccelCPU:      "Virtualization in the processor",
	setup.CheckAccelFirmware: "Virtualization in the firmware",
	setup.CheckAccelSystem:   "Virtualization in the system",
	setup.CheckAccelDevice:   "Acceleration usable by piwork",
	setup.CheckAccelBoot:     "Workroom opens",
	setup.CheckSlowMode:      "Slow mode, chosen",
}

// packMissingWords say what it means that a runtime pack is without an ability.
var packMissingWords = map[string]string{
	pack.AbilityEmulatedProcessors: "In slow mode a workroom has one processor",
	pack.AbilityPrivateMemory:      "Workrooms keep their memory until they close",
	pack.AbilityDirectPort:         "Folders shared over 9p are slower",
	pack.AbilitySmallMachine:       "The runtime is larger and workrooms take longer to start",
	pack.AbilityFastNodeExit:       "Programs written for Node take a little longer to end",
}

// slowWords say who chose the slow mode.
var slowWords = map[string]string{
	setup.ByEnvironment: "by --accel tcg or PIWORK_ACCEL",
	setup.ByFlag:        "by --accel tcg",
	setup.BySettings:    "in the settings",
}

// checkMarks stand before a check: in words, so that every reader has them.
var checkMarks = map[setup.CheckState]string{
	setup.CheckPassed:  "yes",
	setup.CheckFailed:  "NO",
	setup.CheckUnknown: "?",
	setup.CheckSkipped: "-",
}
