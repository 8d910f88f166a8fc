package network

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// gateways are the routers that this computer's routes name.
func gateways() []netip.Addr {
	four, _ := os.ReadFile("/proc/net/route")     // a kernel without IPv4
	six, _ := os.ReadFile("/proc/net/ipv6_route") // or without IPv6
	return append(gatewaysIn(four, 2), gatewaysIn(six, 4)...)
}

// gatewaysIn are the routers in a table of the kernel, by the column that has them.
func gatewaysIn(table []byte, column int) []netip.Addr {
	var out []netip.Addr
	lines := bufio.NewScanner(bytes.NewReader(table))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= column {
			continue
		}
		b, err := hex.DecodeString(fields[column])
		if err != nil {
			continue // a heading
		}
		if len(b) == 4 { // as the processor has it in memory
			b = binary.NativeEndian.AppendUint32(nil, binary.BigEndian.Uint32(b))
		}
		if a, ok := netip.AddrFromSlice(b); ok && !a.IsUnspecified() && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}
