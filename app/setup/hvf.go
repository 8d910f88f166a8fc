package setup

import "strings"

// darwinSource is where the facts of a Mac come from: sysctl(3) by name.
type darwinSource struct {
	number func(name string) (uint32, error)
	text   func(name string) (string, error)
	cpu    func() processor
}

// darwinFacts reads what macOS says. A Mac has no switch in its firmware; the
// system says by kern.hv_support whether Hypervisor.framework works here.
func darwinFacts(s darwinSource) Facts {
	yes := func(name string) Known {
		n, err := s.number(name)
		if err != nil {
			return Unknown // a name that this Mac does not have
		}
		return known(n != 0)
	}
	f := Facts{
		MacFacts:   MacFacts{Support: yes("kern.hv_support")},
		Guest:      yes("kern.hv_vmm_present"),
		Translated: yes("sysctl.proc_translated"), // Rosetta; Intel Macs do not have the name
	}
	f.CPU, _ = s.text("machdep.cpu.brand_string")
	if strings.HasPrefix(f.CPU, "Apple") || f.Translated == Yes || yes("hw.optional.arm64") == Yes {
		f.Vendor = "apple"
	} else if flags, err := s.text("machdep.cpu.features"); err == nil {
		f.Vendor = "intel"
		for flag := range strings.FieldsSeq(flags) {
			if flag == "VMX" {
				f.Flag = "vmx"
			}
		}
		f.Offered = known(f.Flag != "")
		f.Capable = s.cpu().capable()
	}
	if f.Guest == Yes {
		model, _ := s.text("hw.model")
		f.Outer = outerOf(identity{Product: model}, s.cpu().Signature)
	}
	return f
}
