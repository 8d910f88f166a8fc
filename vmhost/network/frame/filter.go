package frame

import (
	"encoding/binary"
	"net/netip"
)

// Verdict says what becomes of a frame, and why.
type Verdict int

// Verdicts. Only Pass and Unreachable go to the stack.
const (
	Pass        Verdict = iota
	Unreachable         // UDP that is not for the name server: the stack answers that nobody is there
	Short               // shorter than its headers
	Jumbo               // longer than the MTU
	Spoofed             // from an address that is not the guest's
	Elsewhere           // not to the gateway's card
	Fragment            // a piece of a packet, or one with options
	Junk                // a header that contradicts itself
	Protocol            // a protocol that there is not: IPv6, VLAN, DHCP, …
	Verdicts            // how many there are
)

// String is the verdict as a code.
func (v Verdict) String() string {
	names := [Verdicts]string{"pass", "udp", "short", "jumbo", "spoofed", "elsewhere", "fragment", "junk", "protocol"}
	if v < 0 || v >= Verdicts {
		return "unknown"
	}
	return names[v]
}

// MAC is the address of a card.
type MAC [6]byte

var broadcast = MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// Filter knows who is on the wire: one guest and the gateway.
type Filter struct {
	GuestMAC, GatewayMAC MAC
	Guest, Gateway       netip.Addr // IPv4
	MTU                  int        // bytes, without the Ethernet header
}

const (
	etherIPv4 = 0x0800
	etherARP  = 0x0806

	protoICMP = 1
	protoTCP  = 6
	protoUDP  = 17

	portDNS = 53
)

// Check judges a frame of the guest. It reads no further than the frame goes, and
// may be called by several goroutines.
//
// What passes: requests of ARP for the gateway; whole IPv4 packets without options
// from the guest's address that carry TCP to any single host, UDP to the
// gateway's name server, or an ICMP echo request to the gateway. Ethernet frames
// may be padded at their end.
func (f *Filter) Check(frame []byte) Verdict {
	if len(frame) < HeaderLen {
		return Short
	}
	if len(frame) > HeaderLen+max(f.MTU, 46) { // short frames may be padded to 60 bytes
		return Jumbo
	}
	to, from := MAC(frame[0:6]), MAC(frame[6:12])
	if from != f.GuestMAC {
		return Spoofed
	}
	if to != f.GatewayMAC && to != broadcast {
		return Elsewhere
	}
	switch payload := frame[HeaderLen:]; binary.BigEndian.Uint16(frame[12:14]) {
	case etherARP:
		return f.arp(payload)
	case etherIPv4:
		if to == broadcast {
			return Elsewhere
		}
		return f.ipv4(payload)
	}
	return Protocol
}

// arp lets the guest ask who the gateway is (RFC 826). What it claims to be is not
// learned from it: there is one guest.
func (f *Filter) arp(p []byte) Verdict {
	if len(p) < 28 {
		return Short
	}
	if binary.BigEndian.Uint16(p) != 1 || binary.BigEndian.Uint16(p[2:]) != etherIPv4 || p[4] != 6 || p[5] != 4 {
		return Junk
	}
	if binary.BigEndian.Uint16(p[6:]) != 1 { // an answer, and nobody asked
		return Spoofed
	}
	sender := netip.AddrFrom4([4]byte(p[14:18]))
	if MAC(p[8:14]) != f.GuestMAC || sender != f.Guest && !sender.IsUnspecified() {
		return Spoofed
	}
	if netip.AddrFrom4([4]byte(p[24:28])) != f.Gateway {
		return Elsewhere
	}
	return Pass
}

func (f *Filter) ipv4(p []byte) Verdict {
	if len(p) < 20 {
		return Short
	}
	total := int(binary.BigEndian.Uint16(p[2:]))
	header := int(p[0]&0x0f) * 4
	switch {
	case p[0]>>4 != 4 || header < 20 || total < header:
		return Junk
	case total > len(p):
		return Short
	case header != 20: // options: source routes, records
		return Fragment
	case binary.BigEndian.Uint16(p[6:])&0x3fff != 0: // more fragments, or an offset
		return Fragment
	}
	if netip.AddrFrom4([4]byte(p[12:16])) != f.Guest {
		return Spoofed
	}
	to := netip.AddrFrom4([4]byte(p[16:20]))
	if to.IsMulticast() || to.As4()[0] == 0 || to.As4()[0] >= 240 || to == f.Guest || to.IsLoopback() {
		return Elsewhere
	}
	body := p[header:total]
	switch p[9] {
	case protoTCP:
		return tcp(body)
	case protoUDP:
		return f.udp(to, body)
	case protoICMP:
		return f.icmp(to, body)
	}
	return Protocol
}

func tcp(b []byte) Verdict {
	if len(b) < 20 {
		return Short
	}
	if offset := int(b[12]>>4) * 4; offset < 20 || offset > len(b) {
		return Junk
	}
	return Pass
}

func (f *Filter) udp(to netip.Addr, b []byte) Verdict {
	if len(b) < 8 {
		return Short
	}
	if n := int(binary.BigEndian.Uint16(b[4:])); n < 8 || n > len(b) {
		return Junk
	}
	if to == f.Gateway && binary.BigEndian.Uint16(b[2:]) == portDNS {
		return Pass
	}
	return Unreachable
}

func (f *Filter) icmp(to netip.Addr, b []byte) Verdict {
	if len(b) < 8 {
		return Short
	}
	if b[0] != 8 || b[1] != 0 { // an echo request, RFC 792
		return Protocol
	}
	if to != f.Gateway {
		return Elsewhere
	}
	return Pass
}
