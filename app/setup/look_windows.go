package setup

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

const (
	// Of winnt.h.
	pfVirtFirmwareEnabled = 21

	// WHV_CAPABILITY_CODE, WinHvPlatformDefs.h.
	whvHypervisorPresent = 0
)

// Look looks at this computer.
func Look() Facts {
	s := windowsSource{
		cpu:      askProcessor(),
		name:     registryText(`HARDWARE\DESCRIPTION\System\CentralProcessor\0`, "ProcessorNameString"),
		edition:  registryText(`SOFTWARE\Microsoft\Windows NT\CurrentVersion`, "EditionID"),
		build:    int(windows.RtlGetVersion().BuildNumber),
		native:   nativeProcessor(),
		firmware: known(windows.IsProcessorFeaturePresent(pfVirtFirmwareEnabled)),
		pending:  registryKey(`SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending`),
	}
	const bios = `HARDWARE\DESCRIPTION\System\BIOS`
	s.id = identity{
		Vendor: registryText(bios, "SystemManufacturer"), Product: registryText(bios, "SystemProductName"),
		Board: registryText(bios, "BaseBoardManufacturer"), BIOS: registryText(bios, "BIOSVendor"),
	}
	if n, ok := registryNumber(`SYSTEM\CurrentControlSet\Control`, "PEFirmwareType"); ok {
		s.uefi = known(n == 2)
	}
	s.library, s.present = hypervisorPlatform()
	return windowsFacts(s)
}

// hypervisorPlatform asks the library that comes with the feature whether its
// hypervisor runs. Only the system's own directory is looked in.
func hypervisorPlatform() (library, present Known) {
	dll := windows.NewLazySystemDLL("WinHvPlatform.dll")
	if err := dll.Load(); err != nil {
		if errors.Is(err, windows.ERROR_MOD_NOT_FOUND) || errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
			return No, Unknown
		}
		return Unknown, Unknown
	}
	get := dll.NewProc("WHvGetCapability")
	if get.Find() != nil {
		return Unknown, Unknown
	}
	var capability [64]uint64 // a union, larger than any version of it
	var written uint32
	result, _, _ := get.Call(whvHypervisorPresent, uintptr(unsafe.Pointer(&capability)), unsafe.Sizeof(capability), uintptr(unsafe.Pointer(&written)))
	if int32(result) < 0 {
		return Yes, Unknown
	}
	return Yes, known(uint32(capability[0]) != 0)
}

// nativeProcessor tells whether this program runs without translation.
func nativeProcessor() Known {
	const arm64 = 0xAA64 // IMAGE_FILE_MACHINE_ARM64
	var process, native uint16
	if windows.IsWow64Process2(windows.CurrentProcess(), &process, &native) != nil {
		return Unknown // Windows before 10 of 2017 has no ARM
	}
	return known((native == arm64) == (runtime.GOARCH == "arm64"))
}

func registryText(key, name string) (text string) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	if err != nil {
		return ""
	}
	defer func() { _ = k.Close() }()
	text, _, _ = k.GetStringValue(name)
	return text
}

func registryNumber(key, name string) (n uint64, ok bool) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	if err != nil {
		return 0, false
	}
	defer func() { _ = k.Close() }()
	n, _, err = k.GetIntegerValue(name)
	return n, err == nil
}

func registryKey(key string) Known {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	switch {
	case err == nil:
		_ = k.Close()
		return Yes
	case errors.Is(err, registry.ErrNotExist):
		return No
	default:
		return Unknown
	}
}
