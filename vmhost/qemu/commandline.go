package qemu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Spec is everything that decides about one virtual machine. It is a value:
// two equal Specs are the same machine.
type Spec struct {
	Host     string // operating system QEMU runs on, as GOOS says it
	Image    Image
	Accel    Accel
	CPU      string // -cpu, "" is the first rung of Ladder
	MemoryMB int    // 0 is DefaultMemoryMB
	CPUs     int    // 0 is 1
	Name     string // seen in process lists

	// Sockets on which piwork listens and QEMU connects when it starts. On
	// Windows they only name pipes, on which QEMU listens (see PipeName).
	Console string // "" for none: what the guest prints is lost
	Ports   []Port // virtio-serial ports, in the order of their numbers

	// Folders is where the requests of a 9p device go, "" for a machine without one:
	// messages of 9p both ways. The guest mounts it by FoldersTag. With
	// Image.Limits.No9PDevice there is no such device.
	Folders string

	// Overlay is the qcow2 file over Image.WorkBase. Without it the machine has
	// no disk at all, as a proof boot wants it.
	Overlay string

	// RAM is the file that the machine's memory is in, nil for memory of the
	// process's own. A machine that is to be saved needs one (CanTemplate).
	RAM *RAMFile

	// Incoming machines do nothing until Process.Restore gives them a state.
	Incoming bool

	Params []string // further kernel parameters

	// OnlyDisks has no machine at all: such a process works on the files of disks.
	OnlyDisks bool
}

// Port is a virtio-serial port of the guest.
type Port struct {
	Name   string // as the guest sees it, e.g. wire.PortRPC
	Socket string
}

// RAMFile is a file with a machine's memory.
type RAMFile struct {
	// Path is made by Start, private to the user, unless the machine is Incoming.
	Path string

	// Private memory is copied on write: the file, a template's, is only read,
	// and as many machines as there are share what they do not change of it.
	// Memory that is not private is the file.
	Private bool

	// Handed memory has no Path: Start hands it over (StartOptions.RAM). It is
	// not private, and a device outside of QEMU can see it too (PlugFolders).
	Handed bool
}

// seen tells whether a device outside of QEMU can see the memory.
func (f *RAMFile) seen() bool { return f != nil && !f.Private }

// DefaultMemoryMB is the memory of a machine whose Spec names none, in MiB.
const DefaultMemoryMB = 1024

// CommandLine returns the whole argv for s, the program included. It is a pure
// function: it reads neither the system nor any file.
func CommandLine(s Spec) []string {
	a := append([]string(nil), s.Image.Program...)
	add := func(args ...string) { a = append(a, args...) }

	// Confinement: nothing that is not named below.
	add("-nodefaults", "-no-user-config", "-display", "none", "-nic", "none")
	if s.Host == "linux" {
		add("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")
	}
	if s.Name != "" {
		add("-name", "guest="+escape(s.Name))
	}
	if s.Image.DataDir != "" { // a machine without firmware has none
		add("-L", s.Image.DataDir)
	}

	if s.OnlyDisks {
		add("-machine", "none", "-accel", accelOption(s.Accel), "-chardev", monitorChardev, "-mon", "chardev=qmp,mode=control")
		return a
	}

	// The machine. A reboot is its end: a panic is not to be repeated.
	add("-machine", machine(s))
	add("-accel", accelOption(s.Accel))
	add("-cpu", s.cpu())
	add("-smp", Processors(s.Accel, s.Image.Arch, s.cpus()))
	add("-m", strconv.Itoa(s.memoryMB())+"M")
	if s.RAM != nil {
		add("-object", s.RAM.object(s.memoryMB()).String())
	}
	add("-rtc", "base=utc", "-no-reboot")
	if s.Incoming {
		add("-incoming", "defer")
	}

	// The monitor is this process's own standard input and output.
	add("-chardev", monitorChardev, "-mon", "chardev=qmp,mode=control")

	add("-kernel", s.Image.Kernel, "-initrd", s.Image.Initrd, "-append", strings.Join(kernelParams(s), " "))

	if s.Console != "" {
		add("-chardev", s.chardev("console", s.Console), "-serial", "chardev:console")
	}
	if len(s.Ports) > 0 {
		add("-device", s.device("virtio-serial-pci", slotSerial, option{"id", "ports"}, option{"max_ports", maxPorts}).String())
	}
	for i, p := range s.Ports {
		id := "port" + strconv.Itoa(i+1)
		add("-chardev", s.chardev(id, p.Socket),
			"-device", fmt.Sprintf("virtserialport,bus=ports.0,nr=%d,chardev=%s,name=%s", i+1, id, escape(p.Name)))
	}

	if s.Folders != "" {
		add("-chardev", s.chardev(folders9PID, s.Folders), "-device", s.folders9PDevice().String())
	}

	if s.Overlay != "" {
		add("-blockdev", imageNode("root", s.Image.RootFS).String(),
			"-device", s.device("virtio-blk-pci", slotRoot, option{"id", "root-disk"}, option{"drive", "root"}).String())
		add("-blockdev", overlayNode(s).String(),
			"-device", s.device("virtio-blk-pci", slotWork, option{"id", "work-disk"}, option{"drive", overlayNodeName},
				option{"werror", "enospc"}, option{"rerror", "report"}).String())
		if s.givesMemoryBack() {
			// A guest that wants free pages to keep a pattern, zeros among them,
			// does not report them: without "poison" it knows that they do not.
			add("-device", s.device("virtio-balloon-pci", slotMemory, option{"id", "memory"}, option{"free-page-reporting", s.reportsFreePages()},
				option{"deflate-on-oom", true}, option{"page-poison", false}).String())
		}
		switch {
		case s.Image.Arch == "aarch64":
			for i := range MaxLayers {
				add("-device", layerPort(i).String())
			}
			add("-device", foldersPort().String(), "-device", networkPort().String(), "-device", cachePort().String())
		case s.Accel != AccelTCG:
			// It tells the kernel of a restored machine that it is another one,
			// before the agent has given it new randomness. In the slow mode
			// that takes a third of restoring, and nothing runs before the agent.
			add("-device", "vmgenid,guid=auto")
		}
		for i, l := range s.Image.AddOns[:min(len(s.Image.AddOns), MaxLayers)] {
			add("-blockdev", imageNode(LayerDisk(i), l.File).String(), "-device", s.layerDevice(i).String())
		}
	}
	return a
}

// monitorChardev is the monitor: this process's own standard input and output.
const monitorChardev = "stdio,id=qmp,signal=off"

// chardev is the value of -chardev for a socket.
func (s Spec) chardev(id, socket string) string {
	if s.Host == "windows" {
		return "pipe,id=" + id + ",path=" + PipeName(socket)
	}
	return "socket,id=" + id + ",path=" + escape(socket)
}

// PipeName is the named pipe, below \\.\pipe\, that stands for a socket on
// Windows: there QEMU makes it and waits until piwork has connected. As the
// socket lies in a directory with a random name, nobody can foresee it.
func PipeName(socket string) string {
	sum := sha256.Sum256([]byte(socket))
	return "piwork-" + hex.EncodeToString(sum[:16])
}

func (s Spec) cpu() string {
	if s.CPU != "" {
		return s.CPU
	}
	return Ladder(s.Accel, s.Image.Arch)[0]
}

// Processors is the argument of -smp for so many processors. In the slow mode QEMU makes no
// barrier of a locked instruction while there can be one processor only (CF_PARALLEL,
// tcg/tcg-op-ldst.c). Linux's full barriers are such instructions on x86, and what serves a device
// is in another thread or process: one of both then misses what the other said last, and the guest
// waits for ever. Room for a second processor, which never comes, makes them barriers.
func Processors(accel Accel, arch string, n int) string {
	s := strconv.Itoa(n)
	if accel == AccelTCG && arch != "aarch64" && n == 1 {
		s += ",maxcpus=2"
	}
	return s
}

// cpus is how many processors the machine has.
func (s Spec) cpus() int {
	if s.Accel == AccelTCG && s.Image.Limits.OneEmulatedCPU {
		return 1
	}
	return max(s.CPUs, 1)
}

func (s Spec) memoryMB() int {
	if s.MemoryMB > 0 {
		return s.MemoryMB
	}
	return DefaultMemoryMB
}

// Ladder returns the CPU models to try with an accelerator, best first. A rung
// is left for the next one when QEMU refuses it or dies on it: "host" asks for
// everything the processor has, and some hypervisors under this computer
// promise more than they keep.
func Ladder(accel Accel, arch string) []string {
	switch {
	case accel == AccelTCG && arch == "aarch64":
		return []string{"max"}
	case accel == AccelTCG:
		// Without the promise that moving bytes one by one is fast: it is not
		// here, and kernels copy a third slower that trust in it.
		return []string{"max,-erms,-fsrm"}
	case arch == "aarch64":
		return []string{"host"}
	case accel == AccelKVM:
		return []string{"host", "host,-arch-capabilities", "Nehalem", "qemu64"}
	case accel == AccelHVF:
		return []string{"host", "Nehalem"}
	default: // whpx: max dies on some processors
		return []string{"host", "Nehalem", "qemu64"}
	}
}

// kernelParams returns the kernel's command line, word by word.
func kernelParams(s Spec) []string {
	console := "ttyS0"
	if s.Image.Arch == "aarch64" {
		console = "ttyAMA0"
	}
	p := []string{"console=" + console, "panic=-1"}
	// A sixth of the boot under emulation: self-tests of ciphers, the audit log,
	// grace periods, a check of the timer that machines of QEMU do not need, and
	// rewriting every locked instruction where there is one processor. Mitigations and address randomisation stay on; the
	// console is not quieted, because what it says shows that a slow boot goes
	// on, and costs nothing that could be measured.
	p = append(p, "cryptomgr.notests", "audit=0", "rcupdate.rcu_expedited=1")
	if s.Image.Arch != "aarch64" {
		p = append(p, "no_timer_check", "noreplace-smp")
	}
	if s.Overlay != "" {
		p = append(p, "piwork.root=/dev/vda", "piwork.work=/dev/vdb")
		if v := s.Image.Verity; v != nil {
			p = append(p, fmt.Sprintf("piwork.verity=%s:%s:%d", v.RootHash, v.Salt, v.DataBlocks))
		}
	}
	return append(p, s.Params...)
}
