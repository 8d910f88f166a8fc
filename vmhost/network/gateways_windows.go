package network

import (
	"errors"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/windows"
)

// gateways are the routers that this computer's cards name.
func gateways() []netip.Addr {
	size := uint32(16 << 10)
	for range 4 { // cards may be added in between
		b := make([]byte, size)
		first := (*windows.IpAdapterAddresses)(unsafe.Pointer(&b[0]))
		err := windows.GetAdaptersAddresses(windows.AF_UNSPEC, windows.GAA_FLAG_INCLUDE_GATEWAYS, 0, first, &size)
		if errors.Is(err, windows.ERROR_BUFFER_OVERFLOW) {
			continue
		}
		if err != nil {
			return nil
		}
		var out []netip.Addr
		for card := first; card != nil; card = card.Next {
			for g := card.FirstGatewayAddress; g != nil; g = g.Next {
				if a, ok := netip.AddrFromSlice(g.Address.IP()); ok {
					out = append(out, a)
				}
			}
		}
		return out
	}
	return nil
}
