package updater

import (
	"context"
	"net"
	"time"
)

// lookAtMost bounds the question to the operating system.
const lookAtMost = 3 * time.Second

// LookAtNetwork finds out whether there is a way out of this computer, and
// whether it costs money by the byte. It sends nothing. Only what is known is
// said: on macOS and Windows nothing is known about cost (see the file of each),
// so that a person there switches updates off who wants none.
func LookAtNetwork(ctx context.Context) Network {
	ctx, cancel := context.WithTimeout(ctx, lookAtMost)
	defer cancel()
	return Network{Metered: metered(ctx), Offline: !hasRoute(ctx)}
}

// Addresses that are nobody's: RFC 5737 and RFC 3849 keep them for documentation.
var nobody = map[string]string{"udp4": "192.0.2.1:9", "udp6": "[2001:db8::1]:9"}

// hasRoute reports whether packets to the rest of the world have anywhere to go.
// Connecting a UDP socket looks up the route and sends nothing (connect(2)).
func hasRoute(ctx context.Context) bool {
	for network, address := range nobody {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}
