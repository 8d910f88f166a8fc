package network

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestGatewaysOfTheKernel(t *testing.T) {
	address := binary.NativeEndian.Uint32([]byte{198, 47, 0, 254})
	four := "Iface\tDestination\tGateway \tFlags\n" + fmt.Sprintf("eth0\t00000000\t%08X\t0003\neth1\t00000000\t%08X\t0003\neth0\t0000FEA9\t00000000\t0001\n", address, address)
	zero := strings.Repeat("0", 32)
	six := zero + " 00 " + zero + " 00 2a02090800010002000000000000ffff 00000400 00000002 00000000 00000003     eth0\n" +
		"fe800000000000000000000000000000 40 " + zero + " 00 " + zero + " 00000100 00000002 00000000 00000001     eth0\n"
	if got := fmt.Sprint(gatewaysIn([]byte(four), 2)); got != "[198.47.0.254]" {
		t.Error(got)
	}
	if got := fmt.Sprint(gatewaysIn([]byte(six), 4)); got != "[2a02:908:1:2::ffff]" {
		t.Error(got)
	}
	if got := gatewaysIn([]byte("x\nzz zz zz zz zz zz\n"), 2); len(got) > 0 {
		t.Error(got)
	}
	for _, a := range gateways() {
		if !slices.ContainsFunc(whereHostIs().Near, func(p netip.Prefix) bool { return p.Contains(a) }) {
			t.Errorf("the gateway %s is not near", a)
		}
	}
}
