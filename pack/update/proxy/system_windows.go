package proxy

import (
	"context"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	winhttp          = windows.NewLazySystemDLL("winhttp.dll")
	getUserConfig    = winhttp.NewProc("WinHttpGetIEProxyConfigForCurrentUser")
	getMachineConfig = winhttp.NewProc("WinHttpGetDefaultProxyConfiguration")
	globalFree       = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalFree")
)

// userConfig is WINHTTP_CURRENT_USER_IE_PROXY_CONFIG.
type userConfig struct {
	autoDetect int32
	script     *uint16
	proxy      *uint16
	bypass     *uint16
}

// machineConfig is WINHTTP_PROXY_INFO.
type machineConfig struct {
	accessType uint32
	proxy      *uint16
	bypass     *uint16
}

// namedProxy is WINHTTP_ACCESS_TYPE_NAMED_PROXY.
const namedProxy = 3

// system asks WinHTTP: for the user's internet options, which follow what an
// administrator set for all users, then for the machine's own (netsh winhttp).
func system(context.Context) (Settings, error) {
	if err := winhttp.Load(); err != nil {
		return Settings{}, fmt.Errorf("ask Windows for its proxy: %w", err)
	}
	var u userConfig
	ok, _, err := getUserConfig.Call(uintptr(unsafe.Pointer(&u)))
	if ok == 0 {
		err = fmt.Errorf("ask Windows for its proxy: WinHttpGetIEProxyConfigForCurrentUser: %w", err)
	} else {
		err = nil
	}
	s := parseWindows(take(u.proxy), take(u.bypass))
	s.Source, s.PAC, s.Auto = SourceWindows, take(u.script), u.autoDetect != 0
	if s.Any() || s.PAC != "" {
		return s, nil
	}
	var m machineConfig
	if ok, _, _ := getMachineConfig.Call(uintptr(unsafe.Pointer(&m))); ok != 0 {
		machine := parseWindows(take(m.proxy), take(m.bypass))
		if m.accessType == namedProxy && machine.Any() {
			machine.Source, machine.Auto = SourceWinHTTP, s.Auto
			return machine, nil
		}
	}
	return s, err
}

// take copies a string that WinHTTP allocated, and frees it.
func take(p *uint16) string {
	if p == nil {
		return ""
	}
	s := windows.UTF16PtrToString(p)
	_, _, _ = globalFree.Call(uintptr(unsafe.Pointer(p)))
	return s
}
