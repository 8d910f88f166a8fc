package pack

import "cmp"

// Flavour says where the kernel and the QEMU of a runtime pack are from. All else
// is the same in every flavour.
type Flavour string

// Flavours.
const (
	FlavourOwn   Flavour = "own"   // both are built from source, with piwork's patches
	FlavourStock Flavour = "stock" // both are Debian's packages as they are
)

// Abilities are what the kernel and the QEMU of a pack can do and those of some
// packs cannot. Who depends on one of them asks for it; nobody asks for a flavour.
type Abilities struct {
	// EmulatedProcessors: in the slow mode a machine can have more than one
	// processor. Without our patch QEMU aborts now and then while such a machine
	// boots (iotlb_to_section).
	EmulatedProcessors bool `json:"emulatedProcessors"`

	// PrivateMemory: a machine that was restored from a template gives memory back
	// that its guest freed. Without our patch QEMU refuses each time, with a message.
	PrivateMemory bool `json:"privateMemory"`

	// DirectPort: the guest's 9p client speaks on the port itself, and is corrected
	// in four cases. Without our patches a process in the guest copies everything
	// between the two.
	DirectPort bool `json:"directPort"`

	// StaticEmulator: QEMU is one program without libraries and with no more devices
	// than piwork uses.
	StaticEmulator bool `json:"staticEmulator"`

	// FastNodeExit: a Node that waited ends right after its program.
	FastNodeExit bool `json:"fastNodeExit"`
}

// FlavourOf is the flavour of a runtime pack. Packs that say nothing are own.
func (m *Manifest) FlavourOf() Flavour { return cmp.Or(m.Flavour, FlavourOwn) }

// Abilities are those of the pack. One of a flavour that this program does not
// know is trusted with none.
func (m *Manifest) Abilities() Abilities { return m.FlavourOf().Abilities() }

// Abilities are those of the packs of a flavour.
func (f Flavour) Abilities() Abilities {
	if f == FlavourOwn {
		return Abilities{EmulatedProcessors: true, PrivateMemory: true, DirectPort: true, StaticEmulator: true, FastNodeExit: true}
	}
	return Abilities{}
}
