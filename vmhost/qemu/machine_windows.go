package qemu

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// machineParts are the processor as the registry names it, and the build of
// Windows.
func machineParts() (parts []string, err error) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	for _, name := range []string{"ProcessorNameString", "Identifier", "VendorIdentifier"} {
		v, _, err := k.GetStringValue(name)
		if err != nil && !errors.Is(err, registry.ErrNotExist) {
			return nil, fmt.Errorf("registry value %s: %w", name, err)
		}
		parts = append(parts, v)
	}
	v := windows.RtlGetVersion()
	return append(parts, fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)), nil
}
