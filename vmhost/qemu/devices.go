package qemu

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPorts is how many virtio-serial ports a machine can have, the unused
// number 0 included. The guest sets up two queues for each, used or not.
const maxPorts = 4

// Fixed PCI slots, so that the guest's names for its devices never depend on
// the order of options and later devices have known places.
const (
	slotSerial  = 2
	slotRoot    = 3
	slotWork    = 4
	slotMemory  = 5
	slotFolders = 6  // plugged; of its port on aarch64
	slotNetwork = 7  // likewise
	slotCache   = 8  // likewise
	slot9P      = 9  // the other device with folders, which is there from the start
	slotLayer   = 16 // the first of MaxLayers; of their ports on aarch64
)

// MaxLayers is how many add-ons one machine can have.
const MaxLayers = 16

// LayerDisk is the serial number of the disk with the i-th of Image.AddOns, by
// which the guest finds it.
func LayerDisk(i int) string { return "layer-" + strconv.Itoa(i) }

// options are an object of QEMU in the order of its properties: what stands on
// the command line and in QMP comes from the same place. The first one may have
// no key; its value is the driver of a device or the type of an object then.
type options []option

type option struct {
	key   string
	value any // string, int or bool; of QMP also nil
}

// String is the form of the command line, where a comma ends a value and two
// are one (qemu(1), "keyval").
func (o options) String() string {
	parts := make([]string, len(o))
	for i, p := range o {
		v := fmt.Sprint(p.value)
		if on, ok := p.value.(bool); ok {
			v = map[bool]string{true: "on", false: "off"}[on]
		}
		if parts[i] = escape(v); p.key != "" {
			parts[i] = p.key + "=" + parts[i]
		}
	}
	return strings.Join(parts, ",")
}

// arguments is the form of QMP, where a dot in a key is an object in it.
func (o options) arguments() map[string]any {
	all := make(map[string]any)
	for _, p := range o {
		if p.key == "" {
			all["driver"] = p.value
			continue
		}
		in, key := all, p.key
		for {
			outer, rest, found := strings.Cut(key, ".")
			if !found {
				break
			}
			inner, _ := in[outer].(map[string]any)
			if inner == nil {
				inner = make(map[string]any)
				in[outer] = inner
			}
			in, key = inner, rest
		}
		in[key] = p.value
	}
	return all
}

// machine returns -machine. pc restores faster than q35.
func machine(s Spec) string {
	m := options{{"", "pc"}, {"usb", false}, {"vmport", false}, {"smbus", false}, {"smm", false}}
	if s.Image.Arch == "aarch64" {
		m = options{{"", "virt"}, {"gic-version", "max"}}
	}
	if s.Host != "windows" { // there QEMU knows no other way, and refuses the word
		m = append(m, option{"dump-guest-core", false})
	}
	if s.RAM != nil {
		m = append(m, option{"memory-backend", ramID})
	}
	return m.String()
}

const ramID = "ram"

// handedRAM is the first descriptor that a process of ours is given besides its
// standard ones (exec.Cmd.ExtraFiles), as it finds it again by name.
const handedRAM = "/proc/self/fd/3"

// object is the file as -object. Copying on write, QEMU opens it only for
// reading: nothing that a guest does to its memory can reach it
// (docs/system/vm-templating.rst of QEMU).
func (f *RAMFile) object(memoryMB int) options {
	path := f.Path
	if f.Handed {
		path = handedRAM
	}
	o := options{{"", "memory-backend-file"}, {"id", ramID}, {"size", strconv.Itoa(memoryMB) + "M"}, {"mem-path", path}}
	if f.Private {
		return append(o, option{"share", false}, option{"readonly", true}, option{"rom", "off"})
	}
	return append(o, option{"share", true})
}

// givesMemoryBack tells whether QEMU can give parts of a guest's memory back to
// the system: elsewhere than on Linux it says with each that it cannot.
func (s Spec) givesMemoryBack() bool { return s.Host == "linux" }

// reportsFreePages tells whether the guest reports what it freed, for QEMU to give
// it back. A machine that is saved and the one that is restored from it have the
// same devices, so neither does when the restored one could not give anything back:
// QEMU would say so with each report.
func (s Spec) reportsFreePages() bool { return s.RAM == nil || !s.Image.Limits.KeepsPrivateMemory }

func accelOption(a Accel) string {
	if a == AccelWHPX {
		return "whpx,kernel-irqchip=off"
	}
	return string(a)
}

// device is a virtio device in a fixed slot, without the interface from before
// virtio 1.0.
func (s Spec) device(driver string, slot int, props ...option) options {
	bus := "pci.0"
	if s.Image.Arch == "aarch64" {
		bus = "pcie.0"
	}
	return deviceAt(driver, bus, slot, props...)
}

func deviceAt(driver, bus string, slot int, props ...option) options {
	return append(options{{"", driver}, {"bus", bus}, {"addr", fmt.Sprintf("0x%x", slot)}, {"disable-legacy", "on"}}, props...)
}

// layerDevice is the disk with the i-th add-on.
func (s Spec) layerDevice(i int) options {
	id := LayerDisk(i)
	props := []option{{"id", id + "-disk"}, {"drive", id}, {"serial", id}}
	if s.Image.Arch == "aarch64" {
		return deviceAt("virtio-blk-pci", portID(i), 0, props...)
	}
	return s.device("virtio-blk-pci", slotLayer+i, props...)
}

// layerPort is where the i-th add-on is plugged in a machine whose bus takes
// nothing while it runs: PCI Express wants a port for each device. Eight are in
// one slot.
func layerPort(i int) options {
	o := options{{"", "pcie-root-port"}, {"id", portID(i)}, {"bus", "pcie.0"}, {"addr", fmt.Sprintf("0x%x.%d", slotLayer+i/8, i%8)}, {"chassis", i + 1}}
	if i%8 == 0 {
		o = append(o, option{"multifunction", true})
	}
	return o
}

func portID(i int) string { return LayerDisk(i) + "-port" }

// imageNode is a block node of a read-only image.
func imageNode(name, file string) options {
	return options{{"driver", "raw"}, {"node-name", name}, {"read-only", true}, {"file.driver", "file"}, {"file.filename", file}}
}

// Names of the block nodes of the overlay: the disk, and the file that it is in.
const (
	overlayNodeName = "work"
	overlayFile     = "work-file"
)

// overlayNode is the block node of the overlay. That does not outlive the
// machine: nothing in it needs a flush. The backing file is named here, whatever
// the header says. When this computer's disk is full the machine is paused and
// says so.
func overlayNode(s Spec) options {
	return options{
		{"driver", "qcow2"}, {"node-name", overlayNodeName}, {"discard", "unmap"}, {"cache.no-flush", true},
		{"file.driver", "file"}, {"file.node-name", overlayFile}, {"file.filename", s.Overlay},
		{"backing.driver", "qcow2"}, {"backing.file.driver", "file"}, {"backing.file.filename", s.Image.WorkBase},
	}
}

// escape protects a value inside an option of the command line.
func escape(s string) string { return strings.ReplaceAll(s, ",", ",,") }
