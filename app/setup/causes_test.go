package setup

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// every calls f with the product of all values of the fields that decide.
func every(t *testing.T, fields map[string][]any, f func(Facts)) (n int) {
	t.Helper()
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	var facts Facts
	v := reflect.ValueOf(&facts).Elem()
	var turn func(i int)
	turn = func(i int) {
		if i == len(names) {
			n++
			f(facts)
			return
		}
		for _, value := range fields[names[i]] {
			v.FieldByName(names[i]).Set(reflect.ValueOf(value))
			turn(i + 1)
		}
	}
	turn(0)
	return n
}

var answers = []any{Unknown, No, Yes}

// what decides, for each accelerator, with every value it can have.
var deciding = map[qemu.Accel]map[string][]any{
	qemu.AccelKVM: {
		"WSL": {0, 1, 2}, "Offered": answers, "Capable": answers, "Firmware": answers, "Guest": answers,
		"Device":   {DeviceUnknown, DeviceWorks, DeviceMissing, DeviceDenied, DeviceForbidden, DeviceBusy, DeviceFailed},
		"Confined": {"", "snap"}, "Module": answers, "HasModule": answers, "HasKernel": answers,
		"Group": {"", "kvm"}, "Member": answers,
	},
	qemu.AccelWHPX: {
		"Build": {0, 17133, 17134, 26100}, "Translated": answers, "Offered": answers, "Capable": answers, "Firmware": answers,
		"Guest": answers, "Platform": answers, "Running": answers, "Pending": answers,
	},
	qemu.AccelHVF: {
		"Support": answers, "Offered": answers, "Guest": answers, "Translated": answers, "Refusal": {"", "busy", "denied", "unsupported"},
	},
}

// impossible says of a cause what was seen that speaks against it.
var impossible = map[string]func(accel qemu.Accel, f Facts) bool{
	CauseBroken: func(a qemu.Accel, f Facts) bool {
		return a == qemu.AccelKVM && f.Device != DeviceWorks || a == qemu.AccelWHPX && (f.Running != Yes || f.Platform == No) || a == qemu.AccelHVF && f.Support != Yes
	},
	CauseUnexplained: func(_ qemu.Accel, f Facts) bool {
		return f.Device != DeviceUnknown || f.Offered == No && f.Firmware == No
	},
	CauseTranslated: func(_ qemu.Accel, f Facts) bool { return f.Translated != Yes },
	CauseOutdated: func(_ qemu.Accel, f Facts) bool {
		return f.Build >= windowsWithPlatform || f.Running == Yes && f.Platform != No
	},
	CauseNested: func(_ qemu.Accel, f Facts) bool {
		return f.Guest != Yes || f.Device == DeviceWorks || f.Running == Yes || f.Support == Yes && f.Refusal == ""
	},
	CauseWSL1: func(_ qemu.Accel, f Facts) bool { return f.WSL != 1 || f.Device == DeviceWorks },
	CauseWSL2: func(_ qemu.Accel, f Facts) bool { return f.WSL != 2 || f.Device == DeviceWorks },
	CauseProcessor: func(_ qemu.Accel, f Facts) bool {
		return f.Device == DeviceWorks || f.Running == Yes || f.Support == Yes
	},
	CauseFirmware: func(_ qemu.Accel, f Facts) bool {
		return f.Firmware != No || f.Device == DeviceWorks || f.Running == Yes
	},
	CauseHidden: func(_ qemu.Accel, f Facts) bool { return f.Offered != No || f.Device == DeviceWorks || f.Guest == Yes },
	CauseKernel: func(_ qemu.Accel, f Facts) bool {
		return f.HasKernel != No || f.Module == Yes || f.Device != DeviceMissing
	},
	CauseNoKVM: func(_ qemu.Accel, f Facts) bool {
		return f.HasModule != No || f.Module == Yes || f.Device != DeviceMissing
	},
	CauseModule: func(_ qemu.Accel, f Facts) bool {
		return f.Module != No || f.Device != DeviceMissing || f.Offered == No || f.Confined != ""
	},
	CauseMissing: func(_ qemu.Accel, f Facts) bool { return f.Device != DeviceMissing || f.Module == No },
	CauseConfined: func(_ qemu.Accel, f Facts) bool {
		return f.Confined == "" || f.Device == DeviceWorks || f.Device == DeviceBusy
	},
	CausePermission: func(_ qemu.Accel, f Facts) bool {
		return f.Device != DeviceDenied || f.Member == Yes || f.Group == "" || f.Offered == No
	},
	CauseRelogin: func(_ qemu.Accel, f Facts) bool {
		return f.Device != DeviceDenied || f.Member != Yes || f.Offered == No
	},
	CauseRule:    func(_ qemu.Accel, f Facts) bool { return f.Device != DeviceDenied || f.Group != "" || f.Offered == No },
	CauseDevice:  func(_ qemu.Accel, f Facts) bool { return f.Device != DeviceFailed && f.Device != DeviceForbidden },
	CauseHeld:    func(_ qemu.Accel, f Facts) bool { return f.Device != DeviceBusy && f.Refusal != "busy" },
	CauseRestart: func(_ qemu.Accel, f Facts) bool { return f.Pending != Yes || f.Firmware == No && f.Running != Yes },
	CauseFeature: func(_ qemu.Accel, f Facts) bool {
		return f.Platform != No || f.Pending == Yes || f.Firmware == No && f.Running != Yes
	},
	CauseLaunch:      func(_ qemu.Accel, f Facts) bool { return f.Running != No || f.Platform == No || f.Firmware == No },
	CauseUnsupported: func(_ qemu.Accel, f Facts) bool { return f.Support != No || f.Offered != Yes },
	CauseRefused:     func(_ qemu.Accel, f Facts) bool { return f.Refusal != "denied" },
}

// Whatever was seen, there is one cause; nothing that was seen speaks against
// it; the checks agree with it and with each other; and it can be acted on.
func TestOneCauseForEverything(t *testing.T) {
	s := New(Options{})
	for accel, fields := range deciding {
		met := map[string]bool{}
		n := every(t, fields, func(f Facts) {
			p := explain(accel, f)
			kind, cause, _ := strings.Cut(p.Cause, "-")
			met[cause] = true
			bad := func(why string) {
				if !t.Failed() {
					t.Errorf("%s of %+v: %s", p.Cause, f, why)
				}
			}
			if kind != string(accel) || p.Code != problem.CodeAccelUnavailable || p.Severity != problem.Blocking {
				bad("not a problem of acceleration")
			}
			if against := impossible[cause]; against == nil || against(accel, f) {
				bad("what was seen speaks against it")
			}
			has := func(code string) bool {
				return slices.ContainsFunc(p.Fix, func(x problem.Fix) bool { return x.Code == code })
			}
			if !has(problem.FixSlowMode) || !has(problem.FixCheckAgain) {
				bad("no way out")
			}
			if f.Guest == Yes && has(problem.FixFirmware) && f.Firmware != No {
				bad("a virtual machine has no firmware to enter")
			}
			r := &run{Setup: s}
			r.layers(accel, f, false, 0)
			failed := slices.IndexFunc(r.report.Checks, func(c Check) bool { return c.State == CheckFailed })
			want := lead(accel, f).check
			switch {
			case want == "" && failed >= 0:
				bad("a check failed and is not the cause")
			case want != "" && (failed < 0 || r.report.Checks[failed].Code != want):
				bad("the check of the cause did not fail")
			}
			for i, c := range r.report.Checks {
				if failed >= 0 && (i < failed && c.State != CheckPassed && c.State != CheckUnknown || i > failed && c.State != CheckSkipped) ||
					failed < 0 && c.State != CheckPassed && c.State != CheckUnknown {
					bad(fmt.Sprintf("checks contradict each other: %+v", r.report.Checks))
				}
			}
			proven := &run{Setup: s}
			proven.layers(accel, f, true, 0)
			if slices.ContainsFunc(proven.report.Checks, func(c Check) bool { return c.State == CheckFailed || c.State == CheckSkipped }) {
				bad("a check failed though the boot proved it")
			}
		})
		for i, r := range precedence[accel] {
			if !met[r.cause] {
				t.Errorf("%s-%s is never met", accel, r.cause)
			}
			if slices.ContainsFunc(precedence[accel][:i], func(e rule) bool { return e.cause == r.cause }) {
				t.Errorf("%s-%s stands twice in the table", accel, r.cause)
			}
		}
		t.Logf("%s: %d combinations, %d causes", accel, n, len(met))
	}
}

// The order itself, where two things are wrong at once: what must be mended
// first leads.
func TestPrecedence(t *testing.T) {
	for _, tt := range []struct {
		name  string
		accel qemu.Accel
		f     Facts
		cause string
		need  problem.Restart
	}{
		{"firmware off, and no group", qemu.AccelKVM, Facts{Offered: No, Capable: Yes, Firmware: No, LinuxFacts: LinuxFacts{Device: DeviceDenied, Group: "kvm"}}, CauseFirmware, problem.RestartComputer},
		{"firmware off, and in a container", qemu.AccelKVM, Facts{Offered: No, Capable: Yes, Firmware: No, LinuxFacts: LinuxFacts{Device: DeviceMissing}, Confined: "container"}, CauseFirmware, problem.RestartComputer},
		{"in a container, module not loaded", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Device: DeviceMissing, Module: No}, Confined: "container"}, CauseConfined, problem.RestartProgram},
		{"in a container that has the device", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Device: DeviceWorks}, Confined: "container"}, CauseBroken, ""},
		{"no flag, and the device works all the same", qemu.AccelKVM, Facts{Offered: No, Guest: Yes, LinuxFacts: LinuxFacts{Device: DeviceWorks}}, CauseBroken, ""},
		{"VirtualBox is there and holds nothing", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Holder: "virtualbox", Device: DeviceWorks}}, CauseBroken, ""},
		{"VirtualBox holds it", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Holder: "virtualbox", Device: DeviceBusy}}, CauseHeld, ""},
		{"a machine without nesting", qemu.AccelKVM, Facts{Offered: No, Guest: Yes, LinuxFacts: LinuxFacts{Device: DeviceMissing, Module: No}}, CauseNested, problem.RestartComputer},
		{"updated kernel", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Device: DeviceMissing, Module: No, HasKernel: No}}, CauseKernel, problem.RestartComputer},
		{"joined the group a minute ago", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Device: DeviceDenied, Group: "kvm", Member: Yes}}, CauseRelogin, problem.RestartSession},
		{"snap", qemu.AccelKVM, Facts{Offered: Yes, LinuxFacts: LinuxFacts{Device: DeviceDenied, Group: "kvm"}, Confined: "snap"}, CauseConfined, problem.RestartProgram},
		{"nothing was looked at", qemu.AccelKVM, Facts{}, CauseUnexplained, ""},
		{"firmware off, and the feature", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 26100, Platform: No}, Offered: Yes, Capable: Yes, Firmware: No}, CauseFirmware, problem.RestartComputer},
		{"the hypervisor hides the firmware", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 26100, Running: Yes, Platform: No}, Firmware: No}, CauseFeature, problem.RestartComputer},
		{"the feature, switched on a minute ago", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 26100, Platform: Yes, Running: No, Pending: Yes}, Firmware: Yes}, CauseRestart, problem.RestartComputer},
		{"the hypervisor is kept from starting", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 26100, Platform: Yes, Running: No}, Firmware: Yes}, CauseLaunch, problem.RestartComputer},
		{"Windows on ARM", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 26100, Platform: No}, Translated: Yes}, CauseTranslated, ""},
		{"an old Windows", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 15063}, Firmware: No}, CauseOutdated, problem.RestartComputer},
		{"a machine on Hyper-V", qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Build: 26100, Platform: No}, Guest: Yes, Firmware: No}, CauseNested, problem.RestartComputer},
		{"Rosetta", qemu.AccelHVF, Facts{Translated: Yes, MacFacts: MacFacts{Support: Yes}}, CauseTranslated, problem.RestartProgram},
		{"an old Mac", qemu.AccelHVF, Facts{MacFacts: MacFacts{Support: No}, Offered: No}, CauseProcessor, ""},
		{"a Mac in a machine", qemu.AccelHVF, Facts{MacFacts: MacFacts{Support: No}, Guest: Yes}, CauseNested, problem.RestartComputer},
		{"all is well and it hangs", qemu.AccelHVF, Facts{MacFacts: MacFacts{Support: Yes}}, CauseBroken, ""},
	} {
		p := explain(tt.accel, tt.f)
		if p.Cause != string(tt.accel)+"-"+tt.cause || p.Restart != tt.need {
			t.Errorf("%s: %s, restart %q", tt.name, p.Cause, p.Restart)
		}
	}
}

// What QEMU says when it is refused is evidence, too.
func TestHear(t *testing.T) {
	for _, tt := range []struct {
		accel  qemu.Accel
		before Facts
		output string
		cause  string
	}{
		{qemu.AccelKVM, Facts{LinuxFacts: LinuxFacts{Device: DeviceWorks}}, "qemu: failed to initialize kvm: Device or resource busy", CauseHeld},
		{qemu.AccelKVM, Facts{LinuxFacts: LinuxFacts{Device: DeviceWorks}}, "qemu: Device or resource busy: /x", CauseBroken},
		{qemu.AccelHVF, Facts{MacFacts: MacFacts{Support: Yes}}, "Error: ret = HV_BUSY (0xfae94002, at hvf.c:1)", CauseHeld},
		{qemu.AccelHVF, Facts{}, "Error: ret = HV_UNSUPPORTED (0xfae9400f, at hvf.c:1)", CauseProcessor},
		{qemu.AccelWHPX, Facts{}, "WHPX: No accelerator found, hr=00000000", CauseLaunch},
		{qemu.AccelWHPX, Facts{WindowsFacts: WindowsFacts{Running: Yes}}, "WHPX: No accelerator found, hr=00000000", CauseBroken},
	} {
		f := tt.before
		f.hear(tt.accel, tt.output)
		if p := explain(tt.accel, f); p.Cause != string(tt.accel)+"-"+tt.cause {
			t.Errorf("%s %q: %s", tt.accel, tt.output, p.Cause)
		}
	}
}

// Commands are for this computer, and nothing of it that needs quoting gets in.
func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		code  string
		accel qemu.Accel
		f     Facts
		want  string
	}{
		{problem.FixFirmware, qemu.AccelKVM, Facts{UEFI: Yes}, "systemctl reboot --firmware-setup"},
		{problem.FixFirmware, qemu.AccelWHPX, Facts{UEFI: Yes}, "shutdown /r /fw /t 0"},
		{problem.FixFirmware, qemu.AccelKVM, Facts{UEFI: No}, ""},
		{problem.FixLoadKVM, qemu.AccelKVM, Facts{Vendor: "amd"}, "sudo modprobe kvm_amd"},
		{problem.FixLoadKVM, qemu.AccelKVM, Facts{}, "sudo modprobe -a kvm_intel kvm_amd"},
		{problem.FixKVMGroup, qemu.AccelKVM, Facts{LinuxFacts: LinuxFacts{Group: "virt"}}, `sudo usermod -aG virt "$USER"`},
		{problem.FixKVMGroup, qemu.AccelKVM, Facts{LinuxFacts: LinuxFacts{Group: "a; rm -rf /"}}, `sudo usermod -aG kvm "$USER"`},
		{problem.FixAllowDevice, qemu.AccelKVM, Facts{Confined: "flatpak", ConfineID: "org.piwork.Piwork"}, "flatpak override --user --device=kvm org.piwork.Piwork"},
		{problem.FixAllowDevice, qemu.AccelKVM, Facts{Confined: "flatpak", ConfineID: "$(evil)"}, ""},
		{problem.FixAllowDevice, qemu.AccelKVM, Facts{Confined: "snap", ConfineID: "piwork"}, "sudo snap connect piwork:kvm"},
		{problem.FixAllowDevice, qemu.AccelKVM, Facts{Confined: "container"}, "--device /dev/kvm"},
		{problem.FixNestedVirt, qemu.AccelWHPX, Facts{Outer: OuterHyperV}, "Set-VMProcessor -VMName NAME -ExposeVirtualizationExtensions $true"},
		{problem.FixNestedVirt, qemu.AccelWHPX, Facts{Outer: OuterCloud}, ""},
		{problem.FixSlowMode, qemu.AccelKVM, Facts{}, ""},
	} {
		if got := command(tt.code, tt.accel, tt.f); got != tt.want {
			t.Errorf("%s for %+v: %q", tt.code, tt.f, got)
		}
	}
}
