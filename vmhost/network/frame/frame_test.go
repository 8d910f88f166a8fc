package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"testing"
	"testing/iotest"
)

var honest = Filter{
	GuestMAC: MAC{2, 0, 0, 0, 0, 2}, GatewayMAC: MAC{2, 0, 0, 0, 0, 1},
	Guest: netip.MustParseAddr("198.18.0.2"), Gateway: netip.MustParseAddr("198.18.0.1"), MTU: 1500,
}

func ether(to, from MAC, typ uint16, payload []byte) []byte {
	b := append(bytes.Clone(to[:]), from[:]...)
	return append(binary.BigEndian.AppendUint16(b, typ), payload...)
}

// packet is an IPv4 packet of the guest.
func packet(to string, proto byte, body []byte) []byte {
	p := make([]byte, 20, 20+len(body))
	p[0], p[8], p[9] = 0x45, 64, proto
	binary.BigEndian.PutUint16(p[2:], uint16(20+len(body)))
	copy(p[12:], []byte{198, 18, 0, 2})
	a := netip.MustParseAddr(to).As4()
	copy(p[16:], a[:])
	return append(p, body...)
}

func segment() []byte {
	s := make([]byte, 20)
	s[12] = 5 << 4
	return s
}

func datagram(port uint16, n int) []byte {
	d := make([]byte, 8+n)
	binary.BigEndian.PutUint16(d[2:], port)
	binary.BigEndian.PutUint16(d[4:], uint16(len(d)))
	return d
}

func arp(op uint16, mac MAC, sender, about string) []byte {
	p := []byte{0, 1, 8, 0, 6, 4, byte(op >> 8), byte(op)}
	p = append(p, mac[:]...)
	s, a := netip.MustParseAddr(sender).As4(), netip.MustParseAddr(about).As4()
	p = append(p, s[:]...)
	p = append(p, make([]byte, 6)...)
	return append(p, a[:]...)
}

func with(p []byte, change func([]byte)) []byte {
	p = bytes.Clone(p)
	change(p)
	return p
}

func frames() map[string]struct {
	frame []byte
	want  Verdict
} {
	me, gw, other := honest.GuestMAC, honest.GatewayMAC, MAC{2, 0, 0, 0, 0, 9}
	ip := func(p []byte) []byte { return ether(gw, me, etherIPv4, p) }
	syn := packet("93.184.215.14", protoTCP, segment())
	ping := []byte{8, 0, 0, 0, 0, 0, 0, 0}
	return map[string]struct {
		frame []byte
		want  Verdict
	}{
		"TCP to the world":          {ip(syn), Pass},
		"TCP, padded":               {ip(append(bytes.Clone(syn), make([]byte, 6)...)), Pass},
		"DNS":                       {ip(packet("198.18.0.1", protoUDP, datagram(53, 30))), Pass},
		"ping to the gateway":       {ip(packet("198.18.0.1", protoICMP, ping)), Pass},
		"ARP for the gateway":       {ether(broadcast, me, etherARP, arp(1, me, "198.18.0.2", "198.18.0.1")), Pass},
		"ARP probe":                 {ether(broadcast, me, etherARP, arp(1, me, "0.0.0.0", "198.18.0.1")), Pass},
		"largest":                   {ip(packet("93.184.215.14", protoTCP, append(segment(), make([]byte, 1460)...))), Pass},
		"QUIC":                      {ip(packet("93.184.215.14", protoUDP, datagram(443, 1200))), Unreachable},
		"NTP":                       {ip(packet("198.18.0.1", protoUDP, datagram(123, 48))), Unreachable},
		"DNS elsewhere":             {ip(packet("8.8.8.8", protoUDP, datagram(53, 30))), Unreachable},
		"nothing":                   {nil, Short},
		"half a header":             {ip(nil)[:13], Short},
		"only a header":             {ip(nil), Short},
		"ARP, cut":                  {ether(broadcast, me, etherARP, arp(1, me, "198.18.0.2", "198.18.0.1")[:27]), Short},
		"IPv4, cut":                 {ip(syn[:19]), Short},
		"IPv4 says it is longer":    {ip(with(syn, func(p []byte) { binary.BigEndian.PutUint16(p[2:], 1400) })), Short},
		"TCP, cut":                  {ip(packet("93.184.215.14", protoTCP, segment()[:19])), Short},
		"UDP, cut":                  {ip(packet("198.18.0.1", protoUDP, datagram(53, 0)[:7])), Short},
		"ICMP, cut":                 {ip(packet("198.18.0.1", protoICMP, ping[:7])), Short},
		"jumbo":                     {ip(packet("93.184.215.14", protoTCP, append(segment(), make([]byte, 1461)...))), Jumbo},
		"64 KiB":                    {ip(make([]byte, 65535)), Jumbo},
		"another card's address":    {ether(gw, other, etherIPv4, syn), Spoofed},
		"the gateway's address":     {ether(gw, gw, etherIPv4, syn), Spoofed},
		"another IP":                {ip(with(syn, func(p []byte) { copy(p[12:], []byte{198, 18, 0, 3}) })), Spoofed},
		"the gateway's IP":          {ip(with(syn, func(p []byte) { copy(p[12:], []byte{198, 18, 0, 1}) })), Spoofed},
		"loopback as sender":        {ip(with(syn, func(p []byte) { copy(p[12:], []byte{127, 0, 0, 1}) })), Spoofed},
		"ARP: I am the gateway":     {ether(broadcast, me, etherARP, arp(1, me, "198.18.0.1", "198.18.0.1")), Spoofed},
		"ARP answer nobody asked":   {ether(gw, me, etherARP, arp(2, me, "198.18.0.1", "198.18.0.2")), Spoofed},
		"ARP from another card":     {ether(broadcast, me, etherARP, arp(1, other, "198.18.0.2", "198.18.0.1")), Spoofed},
		"ARP for somebody else":     {ether(broadcast, me, etherARP, arp(1, me, "198.18.0.2", "198.18.0.77")), Elsewhere},
		"ARP of other lengths":      {ether(broadcast, me, etherARP, with(arp(1, me, "198.18.0.2", "198.18.0.1"), func(p []byte) { p[4] = 255 })), Junk},
		"to another card":           {ether(other, me, etherIPv4, syn), Elsewhere},
		"IPv4 to all cards":         {ether(broadcast, me, etherIPv4, syn), Elsewhere},
		"to multicast":              {ip(packet("224.0.0.251", protoUDP, datagram(5353, 10))), Elsewhere},
		"to broadcast":              {ip(packet("255.255.255.255", protoTCP, segment())), Elsewhere},
		"to 0.0.0.0":                {ip(packet("0.0.0.0", protoTCP, segment())), Elsewhere},
		"to itself":                 {ip(packet("198.18.0.2", protoTCP, segment())), Elsewhere},
		"to loopback":               {ip(packet("127.0.0.1", protoTCP, segment())), Elsewhere},
		"ping elsewhere":            {ip(packet("93.184.215.14", protoICMP, ping)), Elsewhere},
		"first fragment":            {ip(with(syn, func(p []byte) { p[6] = 0x20 })), Fragment},
		"last fragment":             {ip(with(syn, func(p []byte) { p[7] = 1 })), Fragment},
		"do not fragment is fine":   {ip(with(syn, func(p []byte) { p[6] = 0x40 })), Pass},
		"source route":              {ip(with(packet("93.184.215.14", protoTCP, append([]byte{131, 4, 0, 0}, segment()...)), func(p []byte) { p[0] = 0x46 })), Fragment},
		"header length below 20":    {ip(with(syn, func(p []byte) { p[0] = 0x44 })), Junk},
		"IPv6 as IPv4":              {ip(with(syn, func(p []byte) { p[0] = 0x65 })), Junk},
		"length below the header":   {ip(with(syn, func(p []byte) { binary.BigEndian.PutUint16(p[2:], 19) })), Junk},
		"TCP offset beyond the end": {ip(packet("93.184.215.14", protoTCP, with(segment(), func(p []byte) { p[12] = 0xf0 }))), Junk},
		"TCP offset below 5":        {ip(packet("93.184.215.14", protoTCP, with(segment(), func(p []byte) { p[12] = 0x40 }))), Junk},
		"UDP says it is longer":     {ip(packet("198.18.0.1", protoUDP, with(datagram(53, 0), func(p []byte) { p[5] = 200 }))), Junk},
		"IPv6":                      {ether(gw, me, 0x86dd, make([]byte, 40)), Protocol},
		"VLAN":                      {ether(gw, me, 0x8100, append([]byte{0, 1, 8, 0}, syn...)), Protocol},
		"LLDP":                      {ether(MAC{1, 0x80, 0xc2, 0, 0, 0xe}, me, 0x88cc, make([]byte, 46)), Elsewhere},
		"802.3 length":              {ether(gw, me, 46, make([]byte, 46)), Protocol},
		"DHCP":                      {ether(broadcast, me, etherIPv4, packet("255.255.255.255", protoUDP, datagram(67, 240))), Elsewhere},
		"GRE":                       {ip(packet("93.184.215.14", 47, make([]byte, 20))), Protocol},
		"IPv6 in IPv4":              {ip(packet("93.184.215.14", 41, make([]byte, 40))), Protocol},
		"ICMP redirect":             {ip(packet("198.18.0.1", protoICMP, []byte{5, 0, 0, 0, 0, 0, 0, 0})), Protocol},
		"ICMP echo reply":           {ip(packet("198.18.0.1", protoICMP, []byte{0, 0, 0, 0, 0, 0, 0, 0})), Protocol},
	}
}

func TestCheck(t *testing.T) {
	for name, c := range frames() {
		if got := honest.Check(c.frame); got != c.want {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
	}
}

func TestVerdictsHaveCodes(t *testing.T) {
	seen := map[string]bool{}
	for v := range Verdicts {
		if s := v.String(); s == "" || s == "unknown" || seen[s] {
			t.Errorf("verdict %d is called %q", v, s)
		}
		seen[v.String()] = true
	}
}

func TestReader(t *testing.T) {
	two := Append(Append(nil, []byte("one")), []byte("t"), []byte("wo"))
	for name, c := range map[string]struct {
		in   []byte
		want []string
		err  error
	}{
		"two frames":        {two, []string{"one", "two"}, io.EOF},
		"an empty frame":    {Append(nil), []string{""}, io.EOF},
		"nothing":           {nil, nil, io.EOF},
		"cut in a length":   {two[:9], []string{"one"}, ErrFraming},
		"cut in a frame":    {two[:len(two)-1], []string{"one"}, ErrFraming},
		"cut after length":  {two[:4], nil, ErrFraming},
		"a length of 4 GiB": {[]byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3}, nil, ErrFraming},
		"too long":          {binary.BigEndian.AppendUint32(nil, maxLen+1), nil, ErrFraming},
		"largest":           {Append(nil, make([]byte, maxLen)), []string{string(make([]byte, maxLen))}, io.EOF},
	} {
		r := NewReader(iotest.HalfReader(bytes.NewReader(c.in)))
		var got []string
		var err error
		for err == nil {
			var f []byte
			if f, err = r.Next(); err == nil {
				got = append(got, string(f))
			}
		}
		if !errors.Is(err, c.err) || len(got) != len(c.want) {
			t.Errorf("%s: %d frames, %v", name, len(got), err)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: frame %d is %q", name, i, got[i])
			}
		}
	}
}

// FuzzFrames reads a stream of frames and judges them. What passes has the
// guest's addresses.
func FuzzFrames(f *testing.F) {
	for _, c := range frames() {
		f.Add(Append(nil, c.frame))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		for {
			b, err := r.Next()
			if err != nil {
				return
			}
			v := honest.Check(b)
			if v < 0 || v >= Verdicts {
				t.Fatalf("verdict %d", v)
			}
			if v != Pass && v != Unreachable {
				continue
			}
			if MAC(b[6:12]) != honest.GuestMAC || len(b) > HeaderLen+honest.MTU {
				t.Fatal("a foreign frame passed")
			}
			if binary.BigEndian.Uint16(b[12:]) == etherIPv4 && netip.AddrFrom4([4]byte(b[26:30])) != honest.Guest {
				t.Fatal("a foreign packet passed")
			}
		}
	})
}
