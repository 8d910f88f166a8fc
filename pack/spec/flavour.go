package spec

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
// What a pack without one does instead is in the table of package pack/image.
type Abilities struct {
	EmulatedProcessors bool // a machine can have several processors in the slow mode
	PrivateMemory      bool // a machine restored from a template gives back memory that its guest freed
	Device9P           bool // QEMU has a 9p device whose server is elsewhere, and the guest a corrected client for it
	SmallMachine       bool // kernel and QEMU have no more than piwork uses, and load nothing
}

// Names of abilities, as a doctor's report has them.
const (
	AbilityEmulatedProcessors = "emulated-processors"
	AbilityPrivateMemory      = "private-memory"
	AbilityDevice9P           = "device-9p"
	AbilitySmallMachine       = "small-machine"
)

// Missing names the abilities that a has not, in the order above.
func (a Abilities) Missing() []string {
	var names []string
	for _, x := range []struct {
		Has  bool
		name string
	}{
		{a.EmulatedProcessors, AbilityEmulatedProcessors}, {a.PrivateMemory, AbilityPrivateMemory}, {a.Device9P, AbilityDevice9P},
		{a.SmallMachine, AbilitySmallMachine},
	} {
		if !x.Has {
			names = append(names, x.name)
		}
	}
	return names
}

// FlavourOf is the flavour of a runtime pack. Packs that say nothing are own.
func (m *Manifest) FlavourOf() Flavour { return cmp.Or(m.Flavour, FlavourOwn) }

// Abilities are those of the pack. One of a flavour that this program does not
// know is trusted with none.
func (m *Manifest) Abilities() Abilities { return m.FlavourOf().Abilities() }

// Abilities are those of the packs of a flavour.
func (f Flavour) Abilities() Abilities {
	if f == FlavourOwn {
		return Abilities{EmulatedProcessors: true, PrivateMemory: true, Device9P: true, SmallMachine: true}
	}
	return Abilities{}
}
