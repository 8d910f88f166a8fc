package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

var (
	intel = processor{Asked: true, Vendor: "intel", Flag: "vmx"}
	amd   = processor{Asked: true, Vendor: "amd", Flag: "svm"}
	bare  = processor{Asked: true, Vendor: "intel"}
	guest = processor{Asked: true, Vendor: "intel", Guest: true, Signature: "KVMKVMKVM\x00\x00\x00"}
)

// computer lays out files as NAME=CONTENT.
func computer(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		m[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	return m
}

const (
	cpuVMX   = "proc/cpuinfo=processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Core(TM)\nflags\t\t: fpu vmx sse\n\nprocessor\t: 1\nflags\t: svm\n"
	cpuSVM   = "proc/cpuinfo=vendor_id : AuthenticAMD\nflags : fpu svm\n"
	cpuNone  = "proc/cpuinfo=vendor_id : GenuineIntel\nflags : fpu vmxx\n"
	cpuGuest = "proc/cpuinfo=vendor_id : GenuineIntel\nflags : fpu hypervisor\n"
	cpuARM   = "proc/cpuinfo=processor : 0\nFeatures : fp asimd\n"
	release  = "proc/sys/kernel/osrelease=6.12.1-amd64\n"
	modules  = "lib/modules/6.12.1-amd64/modules.dep=kernel/arch/x86/kvm/kvm-intel.ko.xz: kernel/arch/x86/kvm/kvm.ko.xz\n"
	loaded   = "sys/module/kvm_intel/parameters/nested=Y"
)

func pathError(err error) error { return &fs.PathError{Op: "open", Path: "/dev/kvm", Err: err} }

// Whole computers, and what is concluded of each.
func TestLinuxComputers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  []string
		env    string
		cpu    processor
		device error
		group  string
		member Known
		cause  string
		check  func(Facts) bool // more that must hold
	}{
		{"works", []string{cpuVMX, release, loaded}, "", intel, nil, "", 0, CauseBroken,
			func(f Facts) bool { return f.CPU == "Intel(R) Core(TM)" && f.Flag == "vmx" && f.Guest == No }},
		{"off in the firmware of a Dell", []string{cpuNone, release, modules, "sys/module/kvm/x=", "sys/class/dmi/id/sys_vendor=Dell Inc.\n", "sys/firmware/efi/x="}, "", intel, pathError(syscall.ENOENT), "", 0, CauseFirmware,
			func(f Facts) bool { return f.Maker == "dell" && f.UEFI == Yes }},
		{"off, and an old device node", []string{cpuNone, release, modules}, "", intel, pathError(syscall.ENODEV), "", 0, CauseFirmware, nil},
		{"a processor without", []string{cpuNone, release, modules}, "", bare, pathError(syscall.ENOENT), "", 0, CauseProcessor, nil},
		{"the processor cannot be asked", []string{cpuNone, release, modules}, "", processor{}, pathError(syscall.ENOENT), "", 0, CauseHidden, nil},
		{"module not loaded", []string{cpuSVM, release, modules, "sys/module/loop/x="}, "", amd, pathError(syscall.ENOENT), "", 0, CauseModule,
			func(f Facts) bool { return f.Vendor == "amd" && f.Blocked == "" }},
		{"module forbidden", []string{cpuVMX, release, modules, "sys/module/kvm/x=", "etc/modprobe.d/vbox.conf=# VirtualBox\nblacklist kvm_intel\n"}, "", intel, pathError(syscall.ENXIO), "", 0, CauseModule,
			func(f Facts) bool { return f.Blocked == "/etc/modprobe.d/vbox.conf" }},
		{"kernel updated", []string{cpuVMX, release, "sys/module/loop/x=", "lib/modules/6.13.0-amd64/modules.dep=x"}, "", intel, pathError(syscall.ENOENT), "", 0, CauseKernel, nil},
		{"kernel without KVM", []string{cpuVMX, release, "sys/module/loop/x=", "lib/modules/6.12.1-amd64/modules.dep=kernel/fs/ext4.ko:\n"}, "", intel, pathError(syscall.ENOENT), "", 0, CauseNoKVM, nil},
		{"KVM built in, device lost", []string{cpuVMX, release, loaded}, "", intel, pathError(syscall.ENOENT), "", 0, CauseMissing, nil},
		{"not in the group", []string{cpuVMX, release, loaded}, "", intel, pathError(syscall.EACCES), "kvm", No, CausePermission, func(f Facts) bool { return f.Group == "kvm" }},
		{"in the group since a minute", []string{cpuVMX, release, loaded}, "", intel, pathError(syscall.EACCES), "kvm", Yes, CauseRelogin, nil},
		{"root's alone", []string{cpuVMX, release, loaded}, "", intel, pathError(syscall.EACCES), "", Unknown, CauseRule, nil},
		{"a cgroup says no", []string{cpuVMX, release, loaded, ".dockerenv="}, "", intel, pathError(syscall.EPERM), "", 0, CauseConfined, nil},
		{"something says no", []string{cpuVMX, release, loaded}, "", intel, pathError(syscall.EPERM), "", 0, CauseDevice, nil},
		{"a container", []string{cpuVMX, release, "run/.containerenv="}, "", intel, pathError(syscall.ENOENT), "", 0, CauseConfined, func(f Facts) bool { return f.Confined == "container" && f.HasKernel == Unknown }},
		{"Flatpak", []string{cpuVMX, release, ".flatpak-info=[Application]"}, "FLATPAK_ID=org.piwork.Piwork", intel, pathError(syscall.ENOENT), "", 0, CauseConfined,
			func(f Facts) bool { return f.Confined == "flatpak" && f.ConfineID == "org.piwork.Piwork" }},
		{"Snap", []string{cpuVMX, release, loaded}, "SNAP=/snap/piwork/1 SNAP_NAME=piwork SNAP_INSTANCE_NAME=piwork_2", intel, pathError(syscall.EACCES), "kvm", No, CauseConfined,
			func(f Facts) bool { return f.Confined == "snap" && f.ConfineID == "piwork_2" }},
		{"VirtualBox at work", []string{cpuVMX, release, loaded, "sys/module/vboxdrv/x="}, "", intel, fmt.Errorf("make: %w", syscall.EBUSY), "", 0, CauseHeld, func(f Facts) bool { return f.Holder == "virtualbox" }},
		{"VMware at work", []string{cpuVMX, release, loaded, "sys/module/vmmon/x="}, "", intel, syscall.EBUSY, "", 0, CauseHeld, func(f Facts) bool { return f.Holder == "vmware" }},
		{"a strange device", []string{cpuVMX, release, loaded}, "", intel, errors.New("version 11"), "", 0, CauseDevice, nil},
		{"in VirtualBox", []string{cpuGuest, release, "sys/class/dmi/id/sys_vendor=innotek GmbH", "sys/class/dmi/id/product_name=VirtualBox"}, "", guest, pathError(syscall.ENOENT), "", 0, CauseNested,
			func(f Facts) bool { return f.Outer == OuterVirtualBox && f.Firmware == Unknown }},
		{"in a rented computer", []string{cpuGuest, release, "sys/class/dmi/id/sys_vendor=Amazon EC2"}, "", guest, pathError(syscall.ENOENT), "", 0, CauseNested, func(f Facts) bool { return f.Outer == OuterCloud }},
		{"in a machine that names nothing", []string{cpuGuest, release}, "", guest, pathError(syscall.ENOENT), "", 0, CauseNested, func(f Facts) bool { return f.Outer == OuterKVM }},
		{"KVM without the processor's help", []string{cpuGuest, release, "sys/module/kvm_pvm/x="}, "", guest, nil, "", 0, CauseBroken, nil},
		{"under Xen", []string{cpuNone, release, "sys/hypervisor/type=xen\n"}, "", bare, pathError(syscall.ENOENT), "", 0, CauseNested, func(f Facts) bool { return f.Outer == OuterXen }},
		{"WSL 1", []string{cpuNone, "proc/sys/kernel/osrelease=4.4.0-19041-Microsoft\n"}, "", guest, pathError(syscall.ENOENT), "", 0, CauseWSL1, nil},
		{"WSL 2", []string{cpuGuest, "proc/sys/kernel/osrelease=5.15.153.1-microsoft-standard-WSL2\n"}, "", guest, pathError(syscall.ENOENT), "", 0, CauseWSL2, nil},
		{"WSL 2 with it on, no group", []string{"proc/cpuinfo=flags : vmx hypervisor\n", "proc/sys/kernel/osrelease=5.15.153.1-microsoft-standard-WSL2\n"}, "", guest, pathError(syscall.EACCES), "kvm", No, CausePermission, nil},
		{"arm64", []string{cpuARM, release, "sys/module/kvm/x="}, "", processor{}, pathError(syscall.EACCES), "kvm", No, CausePermission, func(f Facts) bool { return f.Offered == Unknown && f.Module == Yes }},
		{"arm64 in QEMU", []string{cpuARM, release, "sys/class/dmi/id/sys_vendor=QEMU", "sys/module/kvm/x="}, "", processor{}, pathError(syscall.ENOENT), "", 0, CauseNested, func(f Facts) bool { return f.Guest == Yes }},
		{"nothing can be read", nil, "", processor{}, pathError(syscall.EIO), "", 0, CauseDevice, nil},
	} {
		f := linuxFacts(linuxSource{
			files: computer(tt.files...), cpu: func() processor { return tt.cpu }, device: func() error { return tt.device },
			env: func(name string) string {
				for word := range strings.FieldsSeq(tt.env) {
					if n, v, _ := strings.Cut(word, "="); n == name {
						return v
					}
				}
				return ""
			},
			owner: func() (string, Known) { return tt.group, tt.member },
		})
		if r := lead("kvm", f); r.cause != tt.cause || tt.check != nil && !tt.check(f) {
			t.Errorf("%s: %s of %+v", tt.name, r.cause, f)
		}
	}
}

func TestForbidsKVM(t *testing.T) {
	for text, want := range map[string]bool{
		"blacklist kvm\n": true, "blacklist kvm-amd": true, "install kvm_intel /bin/false": true, "install kvm /usr/bin/true\n": true,
		"# blacklist kvm\n": false, "options kvm_intel nested=1\n": false, "blacklist kvmgt\n": false, "install kvm /sbin/modprobe kvm": false, "blacklist": false, "": false,
	} {
		if forbidsKVM(text) != want {
			t.Errorf("%q", text)
		}
	}
}

func TestWindowsComputers(t *testing.T) {
	hyperv := processor{Asked: true, Vendor: "intel", Root: true, Signature: "Microsoft Hv"}
	inHyperV := processor{Asked: true, Vendor: "intel", Guest: true, Signature: "Microsoft Hv"}
	for _, tt := range []struct {
		name  string
		s     windowsSource
		cause string
		outer string
	}{
		{"works", windowsSource{cpu: hyperv, build: 26100, firmware: No, library: Yes, present: Yes, pending: No}, CauseBroken, ""},
		{"off in the firmware", windowsSource{cpu: intel, build: 26100, firmware: No, library: No, pending: No}, CauseFirmware, ""},
		{"off in the firmware, feature on", windowsSource{cpu: amd, build: 26100, firmware: No, library: Yes, present: No}, CauseFirmware, ""},
		{"no feature", windowsSource{cpu: intel, build: 19045, edition: "Core", firmware: Yes, library: No, pending: No}, CauseFeature, ""},
		{"no feature, and Windows on its hypervisor", windowsSource{cpu: hyperv, build: 22631, firmware: No, library: No, pending: No}, CauseFeature, ""},
		{"restart pending", windowsSource{cpu: intel, build: 22631, firmware: Yes, library: Yes, present: No, pending: Yes}, CauseRestart, ""},
		{"not launched", windowsSource{cpu: intel, build: 22631, firmware: Yes, library: Yes, present: No, pending: No}, CauseLaunch, ""},
		{"a machine on Hyper-V", windowsSource{cpu: inHyperV, build: 20348, firmware: No, library: No, id: identity{Vendor: "Microsoft Corporation", Product: "Virtual Machine"}}, CauseNested, OuterHyperV},
		{"a machine in VMware that nests", windowsSource{cpu: processor{Asked: true, Vendor: "intel", Flag: "vmx", Guest: true, Signature: "VMwareVMware"}, build: 20348, firmware: Yes, library: No}, CauseFeature, OuterVMware},
		{"a processor without", windowsSource{cpu: bare, build: 19045, firmware: No, library: No}, CauseProcessor, ""},
		{"an old Windows", windowsSource{cpu: intel, build: 16299, firmware: Yes, library: No}, CauseOutdated, ""},
		{"on ARM", windowsSource{cpu: bare, build: 26100, native: No, firmware: Yes, library: Yes, present: Yes}, CauseTranslated, ""},
		{"nothing is known", windowsSource{}, CauseUnexplained, ""},
	} {
		f := windowsFacts(tt.s)
		if r := lead("whpx", f); r.cause != tt.cause || f.Outer != tt.outer {
			t.Errorf("%s: %s of %+v", tt.name, r.cause, f)
		}
	}
}

func TestMacs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names string // NAME=VALUE, a space in a value is an underscore
		cpu   processor
		cause string
	}{
		{"Apple silicon", "kern.hv_support=1 kern.hv_vmm_present=0 machdep.cpu.brand_string=Apple_M3 hw.optional.arm64=1", processor{}, CauseBroken},
		{"Intel", "kern.hv_support=1 kern.hv_vmm_present=0 machdep.cpu.brand_string=Intel(R) machdep.cpu.features=FPU_VMX_SSE", intel, CauseBroken},
		{"Intel program on Apple silicon", "kern.hv_support=1 sysctl.proc_translated=1 machdep.cpu.brand_string=Apple_M3 machdep.cpu.features=FPU", bare, CauseTranslated},
		{"an old Mac", "kern.hv_support=0 kern.hv_vmm_present=0 machdep.cpu.brand_string=Intel(R) machdep.cpu.features=FPU", bare, CauseProcessor},
		{"not offered though it could", "kern.hv_support=0 machdep.cpu.brand_string=Intel(R) machdep.cpu.features=FPU_VMX", intel, CauseUnsupported},
		{"a Mac in a machine", "kern.hv_support=0 kern.hv_vmm_present=1 hw.model=VirtualMac2,1 machdep.cpu.brand_string=Apple_M2", processor{}, CauseNested},
		{"nothing is known", "", processor{}, CauseUnexplained},
	} {
		value := func(name string) (string, error) {
			for word := range strings.FieldsSeq(tt.names) {
				if n, v, _ := strings.Cut(word, "="); n == name {
					return strings.ReplaceAll(v, "_", " "), nil
				}
			}
			return "", syscall.ENOENT
		}
		f := darwinFacts(darwinSource{
			text: value, cpu: func() processor { return tt.cpu },
			number: func(name string) (n uint32, err error) {
				s, err := value(name)
				if err == nil {
					_, err = fmt.Sscan(s, &n)
				}
				return n, err
			},
		})
		if r := lead("hvf", f); r.cause != tt.cause || tt.cause == CauseNested && f.Outer != OuterApple {
			t.Errorf("%s: %s of %+v", tt.name, r.cause, f)
		}
	}
}

func TestProcessor(t *testing.T) {
	type leaf struct{ a, b, c, d uint32 }
	word := func(s string) (out [3]uint32) {
		for i := range out {
			for j := 3; j >= 0; j-- {
				out[i] = out[i]<<8 | uint32(s[4*i+j])
			}
		}
		return out
	}
	vendor := func(s string) leaf { w := word(s); return leaf{a: 13, b: w[0], d: w[1], c: w[2]} }
	outer := func(s string, most uint32) leaf {
		w := word(s)
		return leaf{a: most, b: w[0], c: w[1], d: w[2]}
	}
	for _, tt := range []struct {
		name    string
		leaves  map[uint32]leaf
		want    processor
		capable Known
	}{
		{"Intel", map[uint32]leaf{0: vendor("GenuineIntel"), 1: {c: 1 << 5}}, processor{Asked: true, Vendor: "intel", Flag: "vmx"}, Yes},
		{"AMD", map[uint32]leaf{0: vendor("AuthenticAMD"), 0x80000000: {a: 0x80000001}, 0x80000001: {c: 4}}, processor{Asked: true, Vendor: "amd", Flag: "svm"}, Yes},
		{"none", map[uint32]leaf{0: vendor("GenuineIntel"), 0x80000000: {a: 0x80000000}, 0x80000001: {c: 4}}, processor{Asked: true, Vendor: "intel"}, No},
		{"in KVM", map[uint32]leaf{0: vendor("AuthenticAMD"), 1: {c: 1 << 31}, 0x40000000: outer("KVMKVMKVM\x00\x00\x00", 0x40000001)},
			processor{Asked: true, Vendor: "amd", Guest: true, Signature: "KVMKVMKVM\x00\x00\x00"}, Unknown},
		{"below Hyper-V", map[uint32]leaf{0: vendor("GenuineIntel"), 1: {c: 1 << 31}, 0x40000000: outer("Microsoft Hv", 0x4000000C), 0x40000003: {b: 1}},
			processor{Asked: true, Vendor: "intel", Root: true, Signature: "Microsoft Hv"}, Unknown},
		{"in Hyper-V", map[uint32]leaf{0: vendor("GenuineIntel"), 1: {c: 1 << 31}, 0x40000000: outer("Microsoft Hv", 0x4000000C)},
			processor{Asked: true, Vendor: "intel", Guest: true, Signature: "Microsoft Hv"}, Unknown},
		{"a stranger", nil, processor{Asked: true}, Unknown},
	} {
		got := processorOf(func(l, _ uint32) (a, b, c, d uint32) { x := tt.leaves[l]; return x.a, x.b, x.c, x.d })
		if got != tt.want || got.capable() != tt.capable {
			t.Errorf("%s: %+v, capable %v", tt.name, got, got.capable())
		}
	}
	if (processor{}).capable() != Unknown {
		t.Error("one that was not asked is known")
	}
	if p := askProcessor(); p.Asked != (runtime.GOARCH == "amd64") {
		t.Errorf("this one: %+v", p)
	}
}

func TestOuterAndMaker(t *testing.T) {
	for _, tt := range []struct {
		id           identity
		signature    string
		outer, maker string
	}{
		{identity{Vendor: "VMware, Inc.", Product: "VMware20,1"}, "", OuterVMware, ""},
		{identity{Vendor: "Microsoft Corporation", Product: "Virtual Machine"}, "", OuterHyperV, "microsoft"},
		{identity{Vendor: "Microsoft Corporation", Product: "Surface Laptop 5"}, "", "", "microsoft"},
		{identity{Vendor: "Parallels International GmbH."}, "", OuterParallels, ""},
		{identity{Vendor: "QEMU", Product: "Standard PC"}, "Microsoft Hv", OuterKVM, ""},
		{identity{Vendor: "Google", Product: "Google Compute Engine"}, "KVMKVMKVM\x00\x00\x00", OuterCloud, ""},
		{identity{}, "Microsoft Hv", OuterHyperV, ""},
		{identity{}, "never heard", "", ""},
		{identity{Vendor: "LENOVO", Product: "20XW"}, "", "", "lenovo"},
		{identity{Vendor: "To Be Filled By O.E.M.", Board: "ASRock"}, "", "", "asrock"},
		{identity{Vendor: "System manufacturer", Board: "ASUSTeK COMPUTER INC."}, "", "", "asus"},
		{identity{Vendor: "Micro-Star International Co., Ltd."}, "", "", "msi"},
		{identity{Vendor: "Nobody"}, "", "", ""},
	} {
		if outer, maker := outerOf(tt.id, tt.signature), makerOf(tt.id); outer != tt.outer || maker != tt.maker {
			t.Errorf("%+v: %q, %q", tt.id, outer, maker)
		}
	}
	for maker := range menus {
		for _, vendor := range []string{"intel", "amd", ""} {
			if m := menuOf(maker, vendor); m.Key == "" || m.Path == "" {
				t.Errorf("no way into the firmware of %s %s", maker, vendor)
			}
		}
	}
	if m := menuOf("asus", "amd"); m.Key != "F2, Del" || !strings.HasSuffix(m.Path, "SVM Mode") {
		t.Errorf("%+v", m)
	}
}

// The real look takes no harm, whatever this computer is, and sees what it can.
func TestLook(t *testing.T) {
	a, b := Look(), Look()
	if a.DeviceErr != nil && b.DeviceErr != nil && a.DeviceErr.Error() == b.DeviceErr.Error() {
		a.DeviceErr, b.DeviceErr = nil, nil
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("two looks differ:\n%+v\n%+v", a, b)
	}
	if runtime.GOOS == "linux" {
		_, err := os.Stat("/dev/kvm")
		if (a.Device == DeviceUnknown) || errors.Is(err, fs.ErrNotExist) && a.Device != DeviceMissing {
			t.Errorf("%+v", a)
		}
	}
	if runtime.GOOS == "windows" && a.Build == 0 {
		t.Errorf("%+v", a)
	}
}
