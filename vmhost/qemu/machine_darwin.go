package qemu

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// machineParts are the processor and the system (sysctl(3)). What a processor
// has is named differently on Intel's and Apple's.
func machineParts() ([]string, error) {
	var parts []string
	for _, name := range []string{"hw.machine", "machdep.cpu.brand_string", "kern.osversion", "kern.version"} {
		v, err := unix.Sysctl(name)
		if err != nil {
			return nil, fmt.Errorf("sysctl %s: %w", name, err)
		}
		parts = append(parts, v)
	}
	for _, name := range []string{"machdep.cpu.features", "machdep.cpu.leaf7_features", "machdep.cpu.extfeatures", "hw.model"} {
		v, _ := unix.Sysctl(name)
		parts = append(parts, v)
	}
	return parts, nil
}
