package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost/qemu"
)

var update = flag.Bool("update", false, "write testdata/computers.json")

// computers are not ready, each for another reason. Their reports stand in
// testdata/computers.json, from where the window's screens are made.
var computers = map[string]fake{
	"linux-broken":       linuxComputer(intel, nil, cpuVMX, release, loaded),
	"linux-firmware":     linuxComputer(intel, pathError(syscall.ENOENT), cpuNone, release, modules, "sys/module/kvm/x=", "sys/class/dmi/id/sys_vendor=LENOVO", "sys/firmware/efi/x="),
	"linux-group":        linuxComputer(intel, pathError(syscall.EACCES), cpuVMX, release, loaded),
	"linux-module":       linuxComputer(amd, pathError(syscall.ENOENT), cpuSVM, release, modules, "sys/module/loop/x=", "etc/modprobe.d/vbox.conf=blacklist kvm_amd"),
	"linux-held":         linuxComputer(intel, fmt.Errorf("make a machine with /dev/kvm: %w", syscall.EBUSY), cpuVMX, release, loaded, "sys/module/vboxdrv/x="),
	"linux-nested":       linuxComputer(guest, pathError(syscall.ENOENT), cpuGuest, release, "sys/class/dmi/id/product_name=VirtualBox"),
	"linux-wsl":          linuxComputer(guest, pathError(syscall.ENOENT), cpuGuest, "proc/sys/kernel/osrelease=5.15.153.1-microsoft-standard-WSL2"),
	"windows-feature":    windowsComputer(windowsSource{cpu: intel, name: "Intel(R) Core(TM) i5-8250U", build: 19045, edition: "Core", uefi: Yes, native: Yes, firmware: Yes, library: No, pending: No}),
	"windows-firmware":   windowsComputer(windowsSource{cpu: amd, name: "AMD Ryzen 5 5600", build: 26100, uefi: Yes, native: Yes, firmware: No, library: No, pending: No, id: identity{Vendor: "ASUSTeK COMPUTER INC."}}),
	"windows-launch":     windowsComputer(windowsSource{cpu: intel, build: 22631, uefi: Yes, native: Yes, firmware: Yes, library: Yes, present: No, pending: No}),
	"windows-restart":    windowsComputer(windowsSource{cpu: intel, build: 22631, uefi: Yes, native: Yes, firmware: Yes, library: Yes, present: No, pending: Yes}),
	"windows-arm":        windowsComputer(windowsSource{build: 26100, native: No, firmware: Yes, library: Yes, present: Yes}),
	"windows-broken":     windowsComputer(windowsSource{cpu: processor{Asked: true, Vendor: "amd", Root: true}, build: 26100, native: Yes, library: Yes, present: Yes, pending: No}),
	"mac-translated":     macComputer("amd64", Facts{Vendor: "apple", CPU: "Apple M3", MacFacts: MacFacts{Support: Yes}, Guest: No, Translated: Yes}, ""),
	"mac-processor":      macComputer("amd64", Facts{Vendor: "intel", MacFacts: MacFacts{Support: No}, Guest: No, Offered: No, Capable: No}, ""),
	"mac-refused":        macComputer("arm64", Facts{Vendor: "apple", CPU: "Apple M3", MacFacts: MacFacts{Support: Yes}, Guest: No, Translated: No}, "Error: ret = HV_DENIED (0xfae94007)"),
	"mac-nested":         macComputer("arm64", Facts{Vendor: "apple", MacFacts: MacFacts{Support: No}, Guest: Yes, Outer: OuterApple}, ""),
	"nothing-looked-at":  macComputer("arm64", Facts{}, ""),
	"not-even-slowly":    {proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM), qemu.AccelTCG: hangs(qemu.AccelTCG)}, facts: works},
	"no-runtime-at-all":  {packErr: ErrNoPack, facts: works},
	"a-runtime-mistaken": {facts: works, guest: "aarch64"},
}

func linuxComputer(cpu processor, device error, files ...string) fake {
	return fake{proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM)}, facts: linuxFacts(linuxSource{
		files: computer(files...), env: func(string) string { return "" }, cpu: func() processor { return cpu },
		device: func() error { return device }, owner: func() (string, Known) { return "kvm", No },
	})}
}

func windowsComputer(s windowsSource) fake {
	return fake{os: "windows", arch: "amd64", proveErr: map[qemu.Accel]error{qemu.AccelWHPX: hangs(qemu.AccelWHPX)}, facts: windowsFacts(s)}
}

func macComputer(arch string, f Facts, says string) fake {
	err := hangs(qemu.AccelHVF)
	if says != "" {
		err = &qemu.ProofError{Accel: qemu.AccelHVF, Stage: qemu.StageStart, Output: says, Err: errors.New("QEMU ended: exit status 1")}
	}
	guest := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	return fake{os: "darwin", arch: arch, guest: guest, proveErr: map[qemu.Accel]error{qemu.AccelHVF: err}, facts: f}
}

// The report of each computer, to the letter: it is what the window, the command
// line and other programs are told.
func TestReportsOfComputers(t *testing.T) {
	reports := map[string]Report{}
	for name, f := range computers {
		s := f.setup()
		s.o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
		r, m, err := s.Check(t.Context(), Ask{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Ready || m.Pack.Image.ID != "" || len(r.Problems) != 1 {
			t.Errorf("%s: ready %v, %d problems", name, r.Ready, len(r.Problems))
		}
		reports[name] = r
	}
	got, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/computers.json"
	if got = append(got, '\n'); *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is reported now: look at the difference after go test ./app/setup -update", file)
	}
}
