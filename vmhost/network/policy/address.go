package policy

import (
	"net/netip"
	"slices"
)

// Kinds of addresses that are refused unless a rule allows the address itself.
const (
	KindPublic    = ""
	KindPrivate   = "private-address"
	KindLoopback  = "loopback-address"
	KindLinkLocal = "link-local-address"
	KindMetadata  = "metadata-address"
	KindMulticast = "multicast-address"
	KindReserved  = "reserved-address"
	KindHost      = "host-address"
	KindNear      = "own-network-address"
)

// From the IANA registries of special-purpose addresses (RFC 6890), those that are
// not globally reachable, and what clouds answer their machines on. The first that holds an
// address counts.
var special = []struct {
	prefix netip.Prefix
	kind   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), KindMetadata}, // most clouds
	{netip.MustParsePrefix("169.254.170.2/32"), KindMetadata},   // tasks of ECS
	{netip.MustParsePrefix("100.100.100.200/32"), KindMetadata}, // Alibaba
	{netip.MustParsePrefix("168.63.129.16/32"), KindMetadata},   // Azure
	{netip.MustParsePrefix("192.0.0.192/32"), KindMetadata},     // Oracle
	{netip.MustParsePrefix("fd00:ec2::/32"), KindMetadata},      // EC2
	{netip.MustParsePrefix("10.0.0.0/8"), KindPrivate},
	{netip.MustParsePrefix("172.16.0.0/12"), KindPrivate},
	{netip.MustParsePrefix("192.168.0.0/16"), KindPrivate},
	{netip.MustParsePrefix("fc00::/7"), KindPrivate},
	{netip.MustParsePrefix("127.0.0.0/8"), KindLoopback},
	{netip.MustParsePrefix("::1/128"), KindLoopback},
	{netip.MustParsePrefix("169.254.0.0/16"), KindLinkLocal},
	{netip.MustParsePrefix("fe80::/10"), KindLinkLocal},
	{netip.MustParsePrefix("224.0.0.0/4"), KindMulticast},
	{netip.MustParsePrefix("ff00::/8"), KindMulticast},
	{netip.MustParsePrefix("0.0.0.0/8"), KindReserved},
	{netip.MustParsePrefix("100.64.0.0/10"), KindPrivate}, // CGNAT
	{netip.MustParsePrefix("192.0.0.0/24"), KindReserved},
	{netip.MustParsePrefix("192.0.2.0/24"), KindReserved},
	{netip.MustParsePrefix("192.88.99.0/24"), KindReserved},
	{netip.MustParsePrefix("198.18.0.0/15"), KindReserved},
	{netip.MustParsePrefix("198.51.100.0/24"), KindReserved},
	{netip.MustParsePrefix("203.0.113.0/24"), KindReserved},
	{netip.MustParsePrefix("240.0.0.0/4"), KindReserved},
	{netip.MustParsePrefix("fec0::/10"), KindPrivate},  // site-local, RFC 3879
	{netip.MustParsePrefix("2001::/23"), KindReserved}, // Teredo, ORCHID
	{netip.MustParsePrefix("2001:db8::/32"), KindReserved},
	{netip.MustParsePrefix("2002::/16"), KindReserved}, // 6to4 carries any IPv4 address
	{netip.MustParsePrefix("3fff::/20"), KindReserved},
}

var (
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// Kind says what sort of address a is; KindPublic for one that anybody in the
// internet may reach. An IPv4 address in IPv6 (mapped, or behind the well-known
// prefix of NAT64, RFC 6052) is what is inside; every other part of IPv6 that is
// not global unicast is reserved.
func Kind(a netip.Addr) string {
	if !a.IsValid() || a.Zone() != "" {
		return KindReserved
	}
	a = plain(a)
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.kind
		}
	}
	if a.Is6() && !global6.Contains(a) {
		return KindReserved
	}
	return KindPublic
}

// Block is all addresses of a prefix but those of others in it.
type Block struct {
	Prefix netip.Prefix
	Except []netip.Prefix
}

// Public is every address of [KindPublic], for those who filter by prefixes.
func Public() []Block {
	four, six, carried := Block{Prefix: netip.MustParsePrefix("0.0.0.0/0")}, Block{Prefix: global6}, Block{Prefix: nat64}
	for _, s := range special {
		switch a := s.prefix.Addr(); {
		case a.Is4():
			four.Except = append(four.Except, s.prefix)
			b, in := nat64.Addr().As16(), a.As4()
			copy(b[12:], in[:])
			carried.Except = append(carried.Except, netip.PrefixFrom(netip.AddrFrom16(b), nat64.Bits()+s.prefix.Bits()))
		case global6.Contains(a):
			six.Except = append(six.Except, s.prefix)
		}
	}
	return []Block{four, six, carried}
}

// plain is the IPv4 address inside of an IPv6 one, else the address itself.
func plain(a netip.Addr) netip.Addr {
	if a = a.Unmap(); nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// Own is where the host itself is. Its neighbours are the person's, or those of the
// people around them, also where their addresses are public: IPv6 at home, IPv4 on a
// campus.
type Own struct {
	Addrs []netip.Addr   // of the host
	Near  []netip.Prefix // networks that it is in, and its gateways
}

// maxNear6 is the longest prefix of a network in IPv6 (RFC 4291, 2.5.4). A host that
// was given one address alone (DHCPv6) is in such a network, too.
const maxNear6 = 64

// Add takes a card's address and the prefix of its network.
func (o *Own) Add(p netip.Prefix) {
	a, bits := p.Addr().Unmap(), p.Bits()
	if p.Addr().Is4In6() {
		bits -= 96
	}
	switch {
	case a.Is4() && bits < 8, a.Is6() && bits < 16: // a tunnel to everywhere is no neighbourhood
		bits = a.BitLen()
	case a.Is6():
		bits = min(bits, maxNear6)
	}
	if near, err := a.WithZone("").Prefix(bits); err == nil {
		o.Addrs, o.Near = append(o.Addrs, a.WithZone("")), append(o.Near, near)
	}
}

// kind is Kind for who is there.
func (o Own) kind(a netip.Addr) string {
	kind := Kind(a)
	if kind != KindPublic {
		return kind
	}
	a = plain(a)
	switch {
	case slices.Contains(o.Addrs, a):
		return KindHost
	case slices.ContainsFunc(o.Near, func(p netip.Prefix) bool { return p.Contains(a) }):
		return KindNear
	}
	return KindPublic
}

// never reports whether a is no address of one host: not even a rule opens it.
// 0.0.0.0 and :: would lead to the host itself.
func never(a netip.Addr) bool {
	a = a.Unmap()
	return !a.IsValid() || a.IsUnspecified() || a.IsMulticast() ||
		a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) || a.Is4() && a.As4()[0] == 0
}
