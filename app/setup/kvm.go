package setup

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// kvmDevice is where the kernel offers KVM.
const kvmDevice = "dev/kvm"

// linuxSource is where the facts of a Linux computer come from, so that every
// state of one can be laid out in a test.
type linuxSource struct {
	files  fs.FS // of the root directory
	env    func(string) string
	cpu    func() processor
	device func() error // opens the device and makes a machine with it
	// owner says which group may use the device, "" for none, and whether the
	// account belongs to it by the system's list of groups.
	owner func() (group string, member Known)
}

// linuxFacts reads what Linux says, from the processor up.
func linuxFacts(s linuxSource) Facts {
	f := Facts{LinuxFacts: LinuxFacts{Path: "/" + kvmDevice}}
	cpu := s.cpu()
	f.Vendor, f.Capable = cpu.Vendor, cpu.capable()
	hypervisor := s.readCPU(&f)
	id := identity{
		Vendor: s.line("sys/class/dmi/id/sys_vendor"), Product: s.line("sys/class/dmi/id/product_name"),
		Board: s.line("sys/class/dmi/id/board_vendor"), BIOS: s.line("sys/class/dmi/id/bios_vendor"),
	}
	f.Maker = makerOf(id)
	f.UEFI = s.there("sys/firmware/efi")
	switch kind := s.line("sys/hypervisor/type"); {
	case kind == "xen":
		f.Guest, f.Outer = Yes, OuterXen
	case hypervisor == Yes:
		f.Guest, f.Outer = Yes, outerOf(id, cpu.Signature)
	case hypervisor == No:
		f.Guest = No
	default: // arm64 has no flag for it
		if outer := outerOf(id, ""); outer != "" {
			f.Guest, f.Outer = Yes, outer
		}
	}
	if f.Guest != Yes && f.Offered == No && f.Capable == Yes {
		f.Firmware = No // the kernel takes the flag away when the firmware locked it
	}
	release := s.line("proc/sys/kernel/osrelease")
	switch {
	case strings.Contains(release, "WSL2"), strings.Contains(release, "microsoft-standard"):
		f.WSL = 2
	case strings.HasSuffix(release, "-Microsoft"):
		f.WSL = 1
	}
	f.Confined, f.ConfineID = s.confined()
	s.readModules(&f, release)

	f.DeviceErr = s.device()
	f.Device = deviceState(f.DeviceErr)
	if f.Device == DeviceDenied {
		f.Group, f.Member = s.owner()
	}
	return f
}

// deviceState names what an error of the device means. The kernel answers
// ENODEV or ENXIO where a node is there and no module stands behind it, and EBUSY
// when it may not switch the processor's virtualization on because somebody else
// did. EPERM is what a cgroup, a seccomp filter or a security module answers.
func deviceState(err error) DeviceState {
	switch {
	case err == nil:
		return DeviceWorks
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENODEV), errors.Is(err, syscall.ENXIO):
		return DeviceMissing
	case errors.Is(err, syscall.EACCES):
		return DeviceDenied
	case errors.Is(err, syscall.EPERM):
		return DeviceForbidden
	case errors.Is(err, syscall.EBUSY):
		return DeviceBusy
	default:
		return DeviceFailed
	}
}

// readCPU reads the first processor of /proc/cpuinfo, see proc_cpuinfo(5). On
// arm64 there is no line of flags: nothing is known then.
func (s linuxSource) readCPU(f *Facts) (hypervisor Known) {
	r, err := s.files.Open("proc/cpuinfo")
	if err != nil {
		return Unknown
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && lines.Text() != "" {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "model name":
			f.CPU = value
		case "vendor_id":
			switch value {
			case "GenuineIntel":
				f.Vendor = "intel"
			case "AuthenticAMD", "HygonGenuine":
				f.Vendor = "amd"
			}
		case "flags":
			flags := strings.Fields(value)
			hypervisor = known(slices.Contains(flags, "hypervisor"))
			for _, flag := range []string{"vmx", "svm"} {
				if slices.Contains(flags, flag) {
					f.Flag = flag
				}
			}
			f.Offered = known(f.Flag != "")
		}
	}
	return hypervisor
}

// readModules finds out whether KVM is in the kernel, could be loaded, or is
// forbidden; and what else holds the processor's virtualization.
func (s linuxSource) readModules(f *Facts, release string) {
	if names, err := fs.ReadDir(s.files, "sys/module"); err == nil {
		f.Module = No
		for _, n := range names {
			// kvm alone is the part without the processor's, but on arm64 all of it.
			if strings.HasPrefix(n.Name(), "kvm_") || n.Name() == "kvm" && f.Offered == Unknown {
				f.Module = Yes
			}
			switch n.Name() {
			case "vboxdrv":
				f.Holder = "virtualbox"
			case "vmmon":
				f.Holder = "vmware"
			}
		}
	}
	if f.Confined == "" && release != "" {
		dir := path.Join("lib/modules", release)
		f.HasKernel = s.there(dir)
		for _, list := range []string{"modules.dep", "modules.builtin"} {
			b, err := fs.ReadFile(s.files, path.Join(dir, list))
			if err != nil {
				continue
			}
			has := bytes.Contains(b, []byte("/kvm-intel.ko")) || bytes.Contains(b, []byte("/kvm-amd.ko")) || bytes.Contains(b, []byte("/kvm.ko"))
			f.HasModule = max(f.HasModule, known(has)) // Yes in one of them is Yes
		}
	}
	for _, dir := range []string{"etc/modprobe.d", "run/modprobe.d", "usr/lib/modprobe.d"} {
		names, _ := fs.Glob(s.files, dir+"/*.conf")
		for _, n := range names {
			if b, err := fs.ReadFile(s.files, n); err == nil && forbidsKVM(string(b)) {
				f.Blocked = "/" + n
				return
			}
		}
	}
}

// forbidsKVM reads a file of modprobe.d(5).
func forbidsKVM(text string) bool {
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		if len(w) < 2 || w[1] != "kvm" && !strings.HasPrefix(w[1], "kvm_") && !strings.HasPrefix(w[1], "kvm-") {
			continue
		}
		if w[0] == "blacklist" || w[0] == "install" && len(w) > 2 && (strings.HasSuffix(w[2], "/false") || strings.HasSuffix(w[2], "/true")) {
			return true
		}
	}
	return false
}

// confined tells what this program is shut in, and its name there.
func (s linuxSource) confined() (kind, id string) {
	switch {
	case s.there(".flatpak-info") == Yes:
		return "flatpak", s.env("FLATPAK_ID")
	case s.env("SNAP") != "" && s.env("SNAP_NAME") != "":
		return "snap", s.env("SNAP_INSTANCE_NAME")
	case s.there(".dockerenv") == Yes, s.there("run/.containerenv") == Yes, s.there("run/systemd/container") == Yes, s.env("container") != "":
		return "container", ""
	}
	return "", ""
}

func (s linuxSource) there(name string) Known {
	_, err := fs.Stat(s.files, name)
	switch {
	case err == nil:
		return Yes
	case errors.Is(err, fs.ErrNotExist):
		return No
	default:
		return Unknown
	}
}

// line returns the first line of a small file, "" when there is none.
func (s linuxSource) line(name string) string {
	f, err := s.files.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 4096))
	text, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(text)
}
