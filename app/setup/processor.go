package setup

import (
	"bytes"
	"encoding/binary"
)

// processor is what CPUID says. A firmware that switches virtualization off
// leaves it there, and the system then hides it from its own list of flags: so
// the two together tell "switched off" from "not there".
type processor struct {
	Asked     bool
	Vendor    string // "intel", "amd", ""
	Flag      string // "vmx" or "svm" when it is capable
	Guest     bool   // something lies between it and this system
	Signature string // of that, 12 bytes
	Root      bool   // Hyper-V lies below, and this is the system it belongs to: no guest
}

// processorOf reads the leaves 0, 1 and 0x80000001 (Intel SDM 2A, AMD APM 3),
// 0x40000000 and 0x40000003 (Hypervisor Top Level Functional Specification 2).
func processorOf(cpuid func(leaf, sub uint32) (a, b, c, d uint32)) processor {
	p := processor{Asked: true}
	_, b, c, d := cpuid(0, 0)
	switch name(b, d, c) {
	case "GenuineIntel":
		p.Vendor = "intel"
	case "AuthenticAMD", "HygonGenuine":
		p.Vendor = "amd"
	}
	_, _, c, _ = cpuid(1, 0)
	if c&(1<<5) != 0 {
		p.Flag = "vmx"
	}
	p.Guest = c&(1<<31) != 0
	if most, _, _, _ := cpuid(0x80000000, 0); most >= 0x80000001 {
		if _, _, c, _ = cpuid(0x80000001, 0); c&(1<<2) != 0 {
			p.Flag = "svm"
		}
	}
	if p.Guest {
		var most uint32
		most, b, c, d = cpuid(0x40000000, 0)
		p.Signature = name(b, c, d)
		if p.Signature == "Microsoft Hv" && most >= 0x40000003 {
			_, b, _, _ = cpuid(0x40000003, 0)
			p.Root = b&1 != 0 // may make partitions
			p.Guest = !p.Root
		}
	}
	return p
}

func name(words ...uint32) string {
	var b bytes.Buffer
	for _, w := range words {
		b.Write(binary.LittleEndian.AppendUint32(nil, w))
	}
	return b.String()
}

// capable is whether the processor has virtualization at all. What lies around
// a virtual machine may hide it: then its no means nothing of the processor.
func (p processor) capable() Known {
	switch {
	case !p.Asked:
		return Unknown
	case p.Flag != "":
		return Yes
	case p.Guest || p.Root || p.Vendor == "":
		return Unknown
	default:
		return No
	}
}
