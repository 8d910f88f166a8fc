package capacity

import (
	"context"
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemPowerStatus is SYSTEM_POWER_STATUS of winbase.h.
type systemPowerStatus struct {
	acLine      byte // 0 on battery, 1 on mains, 255 unknown
	batteryFlag byte
	percent     byte // 255 unknown
	_           byte
	_           uint32
	_           uint32
}

var getSystemPowerStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus")

// LookAtPower asks Windows (GetSystemPowerStatus).
func LookAtPower(context.Context) Power {
	var s systemPowerStatus
	if ok, _, _ := getSystemPowerStatus.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return Power{Percent: -1}
	}
	p := Power{Battery: s.acLine == 0, Percent: int(s.percent)}
	if p.Percent > 100 {
		p.Percent = -1
	}
	return p
}
