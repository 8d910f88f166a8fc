package capacity

import (
	"cmp"
	"fmt"
)

// Bounds of a choice. A guest does not boot with less memory and its kernel uses
// no more processors.
const (
	MinMemoryMB = 256
	MaxCPUs     = 8
	MaxMachines = 64
)

// overheadMB is what a machine costs besides the memory of its guest: QEMU's own
// code, tables and buffers, in slow mode the translated code.
const overheadMB = 128

// Host is a computer. Memory is in MiB.
type Host struct {
	MemoryMB int `json:"memoryMb"` // that programs may use at all
	FreeMB   int `json:"freeMb"`   // that they could get now without swapping, -1 where it is not known
	CPUs     int `json:"cpus"`
}

// Choice is what a person chose for the machines. Zero is by the size of the
// computer. Memory is in MiB.
type Choice struct {
	MemoryMB int `json:"memoryMb,omitempty"` // of one machine
	CPUs     int `json:"cpus,omitempty"`     // of one machine
	TotalMB  int `json:"totalMb,omitempty"`  // of all machines together
	Machines int `json:"machines,omitempty"` // at the same time
}

// Over returns c with what other chooses in the places of c's.
func (c Choice) Over(other Choice) Choice {
	return Choice{
		MemoryMB: cmp.Or(other.MemoryMB, c.MemoryMB), CPUs: cmp.Or(other.CPUs, c.CPUs),
		TotalMB: cmp.Or(other.TotalMB, c.TotalMB), Machines: cmp.Or(other.Machines, c.Machines),
	}
}

// Size is that of one machine.
type Size struct {
	MemoryMB int `json:"memoryMb"` // of its guest, MiB
	CPUs     int `json:"cpus"`
}

// NeedMB is how much of the computer's memory a machine may come to use, in MiB.
func (s Size) NeedMB() int { return s.MemoryMB + overheadMB }

// SizeOf returns the size of the next machine.
func SizeOf(h Host, c Choice) Size {
	s := Size{MemoryMB: c.MemoryMB, CPUs: c.CPUs}
	if s.MemoryMB == 0 {
		// What is sold as 4, 8 and 16 GB reports a little less.
		switch {
		case h.MemoryMB < 3<<10:
			s.MemoryMB = 512
		case h.MemoryMB < 12<<10:
			s.MemoryMB = 1 << 10
		default:
			s.MemoryMB = 2 << 10
		}
	}
	if s.CPUs == 0 {
		s.CPUs = min((h.CPUs+1)/2, 4)
	}
	// A choice that was made on another computer, or before it lost memory.
	s.CPUs = min(max(s.CPUs, 1), max(h.CPUs, 1), MaxCPUs)
	return s
}

// Budget is how much memory all machines together may come to use, in MiB.
func Budget(h Host, c Choice) int {
	most := max(h.MemoryMB-max(1<<10, h.MemoryMB/4), h.MemoryMB/2)
	if c.TotalMB > 0 {
		return min(c.TotalMB, most)
	}
	return most
}

// Machines is how many machines may run at the same time.
func Machines(h Host, c Choice) int {
	if c.Machines > 0 {
		return c.Machines
	}
	return max(4, h.CPUs)
}

// ChoiceError is a choice that this computer cannot follow.
type ChoiceError struct {
	Field           string // as in the JSON of Choice
	Value, Min, Max int    // MiB or a count
}

func (e *ChoiceError) Error() string {
	return fmt.Sprintf("%s is %d, and must be between %d and %d", e.Field, e.Value, e.Min, e.Max)
}

// Check returns a *ChoiceError for what cannot be followed on this computer, or
// contradicts itself.
func (c Choice) Check(h Host) error {
	most := Budget(h, Choice{})
	one := most - overheadMB
	if c.TotalMB > 0 {
		one = min(one, c.TotalMB-overheadMB)
	}
	for _, f := range []ChoiceError{
		{"totalMb", c.TotalMB, MinMemoryMB + overheadMB, most},
		{"memoryMb", c.MemoryMB, MinMemoryMB, one},
		{"cpus", c.CPUs, 1, min(max(h.CPUs, 1), MaxCPUs)},
		{"machines", c.Machines, 1, MaxMachines},
	} {
		if f.Value != 0 && (f.Value < f.Min || f.Value > f.Max) {
			return &f
		}
	}
	return nil
}
