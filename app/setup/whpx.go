package setup

// windowsSource is what Windows answers. No question needs an administrator.
type windowsSource struct {
	cpu      processor
	name     string   // of the processor
	id       identity // of the computer
	build    int
	edition  string
	uefi     Known
	native   Known // this program is made for this computer's processor
	firmware Known // PF_VIRT_FIRMWARE_ENABLED
	library  Known // WinHvPlatform.dll, which comes with the feature
	present  Known // WHvCapabilityCodeHypervisorPresent
	pending  Known // a change of the system waits for a restart
}

// windowsFacts concludes what Windows says. While a hypervisor runs, Windows
// itself lies on it and shows no virtualization any more, neither as a flag of
// the processor nor as switched on in the firmware: then a no means nothing.
func windowsFacts(s windowsSource) Facts {
	f := Facts{
		CPU: s.name, Vendor: s.cpu.Vendor, Flag: s.cpu.Flag, Capable: s.cpu.capable(), Maker: makerOf(s.id), UEFI: s.uefi,
		WindowsFacts: WindowsFacts{Build: s.build, Edition: s.edition, Platform: s.library, Running: s.present, Pending: s.pending},
	}
	if s.native != Unknown {
		f.Translated = known(s.native == No)
	}
	if s.cpu.Root {
		f.Running = max(f.Running, Yes)
	}
	if s.cpu.Asked {
		f.Guest = known(s.cpu.Guest)
	}
	switch {
	case f.Running == Yes:
		f.Capable, f.Firmware, f.Offered = Yes, Yes, Yes
	default:
		f.Firmware = s.firmware
		if s.cpu.Asked && (f.Flag != "" || f.Guest != Unknown) {
			f.Offered = known(f.Flag != "")
		}
	}
	if f.Guest == Yes {
		f.Outer = outerOf(s.id, s.cpu.Signature)
	}
	return f
}
