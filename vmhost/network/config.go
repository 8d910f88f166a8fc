package network

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/policy"
)

// Resolver looks up addresses on the host; *net.Resolver is one. Names of several
// parts end in a dot: they are whole.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// DialFunc connects to an address of the host's network, "tcp" and "ip:port".
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// ProxyFunc says which proxy leads to a URL, nil for none.
type ProxyFunc func(*url.URL) (*url.URL, error)

// Config is what New needs. The zero Config is a network that refuses everything.
// Functions may be called from several goroutines at once.
type Config struct {
	Task   string               // id in questions
	Policy vmhost.NetworkPolicy // "" is deny
	// Over is what stands over the rules; see policy.Set.
	Over func(policy.Target) (policy.Answer, bool)

	Rules []policy.Rule

	Ask     vmhost.AskFunc // nil: what would be asked about is refused
	AskWait time.Duration  // how long a connection waits for an answer; 0 is one minute

	// Program, when not nil, says which program in the machine connects from its own
	// address to another, for a question that is about to be put; "" when it is not
	// known. What it says is the machine's: nothing is decided by it. A question that
	// has waited ProgramWait (0 is one second) is put without. It must return when the
	// machine has ended: Close waits for it.
	Program     func(ctx context.Context, from, to netip.AddrPort) string
	ProgramWait time.Duration

	// Inspect, when not nil, says for which hosts requests are judged, and not connections
	// alone. They have to be allowed all the same.
	Inspect *inspect.Config

	Resolver Resolver          // nil: the operating system's
	Dial     DialFunc          // nil: net.Dialer
	Proxy    ProxyFunc         // nil: none
	Own      func() policy.Own // where the host is; nil: its cards and gateways
	MTU      int               // bytes, 1280 to 65520; 0 is 1500

	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: none. No names of hosts are logged.
	OnEvent func(Event)      // nil: none. It must return soon, and must not call the Network.
}

// Guest is what the guest is told about its network card.
type Guest struct {
	MAC     net.HardwareAddr
	Address netip.Prefix // its own, and the net it is in
	Gateway netip.Addr
	DNS     netip.Addr
	MTU     int

	Authority []byte // that signs for inspected hosts, PEM; nil without
}

// Bounds of one machine.
const (
	maxConnections = 256 // TCP connections, those that wait and those that are being made, too
	maxWaiting     = 64  // of them, such that wait for a person
	maxQueries     = 64  // DNS queries at once
	maxQuestions   = 8   // open at once
	maxRemembered  = 1024

	bufferBytes = 256 << 10 // of one connection and direction, in the stack

	askWait       = time.Minute
	programWait   = time.Second
	allowedFor    = time.Minute // once: this attempt and those that come right after it
	refusedFor    = 30 * time.Second
	resolvedFor   = time.Minute // how long an address of a name is used
	unresolvedFor = 5 * time.Second
	resolveWait   = 10 * time.Second
	dialWait      = 30 * time.Second
	dialNext      = 3 * time.Second // of an address, before the next is tried
	sniffWait     = 10 * time.Second
	lingerWait    = 30 * time.Second
)

// The addresses come from the range for benchmarks (RFC 2544): no local network
// has them, so that every address a person may name in a rule stays reachable.
var (
	guestNet  = netip.MustParsePrefix("198.18.0.2/24")
	gatewayIP = netip.MustParseAddr("198.18.0.1")
	namesPool = netip.MustParsePrefix("198.19.0.0/16")
	wholeNet  = netip.MustParsePrefix("198.18.0.0/15")

	guestMAC   = [6]byte{0x02, 0x70, 0x69, 0x00, 0x00, 0x02} // locally administered
	gatewayMAC = [6]byte{0x02, 0x70, 0x69, 0x00, 0x00, 0x01}
)
