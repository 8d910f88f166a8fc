package vmhost

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// icu is the library of Windows (since version 1903 of Windows 10) that knows both its
// own names of zones and those of IANA.
var icu = windows.NewLazySystemDLL("icu.dll")

// hostTimeZone returns this computer's zone as an IANA name, "" when it has none: from
// TZ, else what Windows calls it there.
func hostTimeZone() string {
	if tz, ok := os.LookupEnv("TZ"); ok {
		return tz
	}
	// int32_t ucal_getDefaultTimeZone(UChar *result, int32_t resultCapacity, UErrorCode *ec)
	proc := icu.NewProc("ucal_getDefaultTimeZone")
	if proc.Find() != nil {
		return ""
	}
	var name [128]uint16
	var status int32 // above 0 is an error
	n, _, _ := proc.Call(uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(unsafe.Pointer(&status)))
	if zone := windows.UTF16ToString(name[:min(n, uintptr(len(name)))]); status <= 0 && zone != "Etc/Unknown" {
		return zone
	}
	return ""
}
