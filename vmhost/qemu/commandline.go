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

	// Overlay is the qcow2 file over Image.WorkBase. Without it the machine has
	// no disk at all, as a proof boot wants it.
	Overlay string

	Params []string // further kernel parameters
}

// Port is a virtio-serial port of the guest.
type Port struct {
	Name   string // as the guest sees it, e.g. wire.PortRPC
	Socket string
}

// DefaultMemoryMB is the memory of a machine whose Spec names none, in MiB.
const DefaultMemoryMB = 1024

// maxPorts is how many virtio-serial ports a machine can have, the unused
// number 0 included. The guest sets up two queues for each, used or not.
const maxPorts = 4

// Fixed PCI slots, so that the guest's names for its devices never depend on
// the order of options and later devices have known places.
const (
	slotSerial = 2
	slotRoot   = 3
	slotWork   = 4
	slotLayer  = 16 // the first of MaxLayers
)

// MaxLayers is how many add-ons one machine can have.
const MaxLayers = 16

// LayerDisk is the serial number of the disk with the i-th of Image.AddOns, by
// which the guest finds it.
func LayerDisk(i int) string { return "layer-" + strconv.Itoa(i) }

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
	add("-L", s.Image.DataDir)

	// The machine. A reboot is its end: a panic is not to be repeated.
	add("-machine", machine(s.Host, s.Image.Arch))
	add("-accel", accelOption(s.Accel))
	add("-cpu", s.cpu())
	add("-smp", strconv.Itoa(max(s.CPUs, 1)))
	add("-m", strconv.Itoa(s.memoryMB())+"M")
	add("-rtc", "base=utc", "-no-reboot")

	// The monitor is this process's own standard input and output.
	add("-chardev", "stdio,id=qmp,signal=off", "-mon", "chardev=qmp,mode=control")

	add("-kernel", s.Image.Kernel, "-initrd", s.Image.Initrd, "-append", strings.Join(kernelParams(s), " "))

	if s.Console != "" {
		add("-chardev", s.chardev("console", s.Console), "-serial", "chardev:console")
	}
	if len(s.Ports) > 0 {
		add("-device", device("virtio-serial-pci", s.Image.Arch, slotSerial, "id=ports", "max_ports="+strconv.Itoa(maxPorts)))
	}
	for i, p := range s.Ports {
		id := "port" + strconv.Itoa(i+1)
		add("-chardev", s.chardev(id, p.Socket),
			"-device", fmt.Sprintf("virtserialport,bus=ports.0,nr=%d,chardev=%s,name=%s", i+1, id, escape(p.Name)))
	}

	if s.Overlay != "" {
		add("-blockdev", "driver=raw,node-name=root,read-only=on,file.driver=file,file.filename="+escape(s.Image.RootFS),
			"-device", device("virtio-blk-pci", s.Image.Arch, slotRoot, "id=root-disk", "drive=root"))
		// The overlay does not outlive the machine: nothing in it needs a
		// flush. The backing file is named here, whatever the header says. When
		// this computer's disk is full the machine is paused and says so.
		add("-blockdev", "driver=qcow2,node-name=work,discard=unmap,cache.no-flush=on"+
			",file.driver=file,file.filename="+escape(s.Overlay)+
			",backing.driver=qcow2,backing.file.driver=file,backing.file.filename="+escape(s.Image.WorkBase),
			"-device", device("virtio-blk-pci", s.Image.Arch, slotWork, "id=work-disk", "drive=work", "werror=enospc", "rerror=report"))
		for i, l := range s.Image.AddOns[:min(len(s.Image.AddOns), MaxLayers)] {
			id := LayerDisk(i)
			add("-blockdev", "driver=raw,node-name="+id+",read-only=on,file.driver=file,file.filename="+escape(l.File),
				"-device", device("virtio-blk-pci", s.Image.Arch, slotLayer+i, "id="+id+"-disk", "drive="+id, "serial="+id))
		}
	}
	return a
}

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

// Fingerprint identifies the machine that s describes, apart from what is
// different every time (sockets, overlay, name). Two Specs with one
// fingerprint behave the same, so that what was proven for one holds for the
// other.
func Fingerprint(s Spec) string {
	s.Name = ""
	if s.Console != "" {
		s.Console = "console"
	}
	ports := make([]Port, len(s.Ports))
	for i, p := range s.Ports {
		ports[i] = Port{Name: p.Name, Socket: "socket"}
	}
	s.Ports = ports
	if s.Overlay != "" {
		s.Overlay = "overlay"
	}
	h := sha256.New()
	for _, part := range [][]string{{s.Image.ID}, s.Image.Env, CommandLine(s)} {
		for _, v := range part {
			fmt.Fprintf(h, "%d:%s,", len(v), v)
		}
		fmt.Fprint(h, ";")
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (s Spec) cpu() string {
	if s.CPU != "" {
		return s.CPU
	}
	return Ladder(s.Accel, s.Image.Arch)[0]
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
	case accel == AccelTCG:
		return []string{"max"}
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

// machine returns -machine for a host and an architecture of the guest. pc restores
// faster than q35.
func machine(host, arch string) string {
	noDump := ",dump-guest-core=off"
	if host == "windows" {
		noDump = "" // QEMU knows no other way there, and refuses the word
	}
	if arch == "aarch64" {
		return "virt,gic-version=max" + noDump
	}
	return "pc,usb=off,vmport=off" + noDump
}

func accelOption(a Accel) string {
	if a == AccelWHPX {
		return "whpx,kernel-irqchip=off"
	}
	return string(a)
}

// device returns -device for a virtio device in a fixed slot, without the
// interface from before virtio 1.0.
func device(name, arch string, slot int, props ...string) string {
	bus := "pci.0"
	if arch == "aarch64" {
		bus = "pcie.0"
	}
	return strings.Join(append([]string{name, "bus=" + bus, fmt.Sprintf("addr=0x%x", slot), "disable-legacy=on"}, props...), ",")
}

// kernelParams returns the kernel's command line, word by word.
func kernelParams(s Spec) []string {
	console := "ttyS0"
	if s.Image.Arch == "aarch64" {
		console = "ttyAMA0"
	}
	p := []string{"console=" + console, "panic=-1"}
	// A tenth to a sixth of the boot under emulation: self-tests of ciphers,
	// the audit log, grace periods and a check of the timer that machines of
	// QEMU do not need. Mitigations and address randomisation stay on; the
	// console is not quieted, because what it says shows that a slow boot goes
	// on, and costs nothing that could be measured.
	p = append(p, "cryptomgr.notests", "audit=0", "rcupdate.rcu_expedited=1")
	if s.Image.Arch != "aarch64" {
		p = append(p, "no_timer_check")
	}
	if s.Overlay != "" {
		p = append(p, "piwork.root=/dev/vda", "piwork.work=/dev/vdb")
		if v := s.Image.Verity; v != nil {
			p = append(p, fmt.Sprintf("piwork.verity=%s:%s:%d", v.RootHash, v.Salt, v.DataBlocks))
		}
	}
	return append(p, s.Params...)
}

// escape protects a value inside an option of QEMU: a comma ends it, two are
// one (qemu(1), "keyval").
func escape(s string) string { return strings.ReplaceAll(s, ",", ",,") }
