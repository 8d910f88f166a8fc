package network

import (
	"net/netip"
	"syscall"

	"golang.org/x/net/route"
)

// gateways are the routers that this computer's routes name.
func gateways() []netip.Addr {
	var out []netip.Addr
	table, err := route.FetchRIB(syscall.AF_UNSPEC, route.RIBTypeRoute, 0)
	if err != nil {
		return nil
	}
	messages, err := route.ParseRIB(route.RIBTypeRoute, table)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		r, ok := m.(*route.RouteMessage)
		if !ok || r.Flags&syscall.RTF_GATEWAY == 0 || len(r.Addrs) <= syscall.RTAX_GATEWAY {
			continue
		}
		switch a := r.Addrs[syscall.RTAX_GATEWAY].(type) {
		case *route.Inet4Addr:
			out = append(out, netip.AddrFrom4(a.IP))
		case *route.Inet6Addr:
			out = append(out, netip.AddrFrom16(a.IP))
		}
	}
	return out
}
