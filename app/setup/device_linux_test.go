package setup

import (
	"bufio"
	"strings"
	"testing"
)

func TestReadCPU(t *testing.T) {
	rows := []struct{ name, text, flag, cpu string }{
		{"Intel", "processor\t: 0\nmodel name\t: Intel(R) Core(TM)\nflags\t\t: fpu vmx sse\n\nprocessor\t: 1\nflags\t: svm\n", "vmx", "Intel(R) Core(TM)"},
		{"AMD", "flags : fpu svm\n", "svm", ""},
		{"neither", "flags : fpu vmxx\n", "", ""},
		{"in a machine", "flags : hypervisor\n", "", ""},
	}
	for _, r := range rows {
		var d Device
		d.readCPU(bufio.NewScanner(strings.NewReader(r.text)))
		if d.CPUFlag != r.flag || d.CPU != r.cpu || !d.CPULooked || d.Hypervisor != (r.name == "in a machine") {
			t.Errorf("%s: %+v", r.name, d)
		}
	}
	var d Device
	d.readCPU(bufio.NewScanner(strings.NewReader("processor : 0\nFeatures : fp asimd\n")))
	if d.CPULooked {
		t.Errorf("arm64: %+v", d)
	}
}

func TestLookAtDevice(t *testing.T) {
	d := LookAtDevice()
	if !d.Looked || d.Path == "" {
		t.Errorf("%+v", d)
	}
}
