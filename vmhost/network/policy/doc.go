// Package policy decides where a machine may connect to. It is pure: no
// sockets, no clock, no state; what it says depends on its arguments alone.
//
// # Decisions
//
// A connection is judged twice: by the name that the guest asked for
// ([Set.Decide]), and by the address that the name has on the host
// ([Set.Address]), which the guest does not choose. Both must agree.
//
//   - The policy deny refuses everything, whatever the rules say.
//   - A rule that denies wins over every rule that allows. One about an IPv4 address is about
//     the way to it by NAT64, too; one that allows is not.
//   - What no rule is about is asked about (restricted) or allowed (allow).
//   - What stands over the rules ([Set.Over]) can refuse or ask about what they allow, and
//     allow what they would ask about.
//   - Port 25 (SMTP) is for mail servers, and for spam: it is only open to what a
//     rule allows with that port.
//   - Addresses that are not public (private, link-local, loopback, CGNAT,
//     multicast, metadata of clouds, reserved), those of the host itself and those of
//     the networks that it is in, with its gateways ([Own]), are refused, whatever name
//     led to them, unless a rule allows the address itself. No rule opens multicast,
//     broadcast, 0.0.0.0/8 or "::". A rule for a name opens none of them: who owns a name
//     decides what it points to (DNS rebinding).
//
// net/netip knows private, loopback, link-local and multicast addresses. The rest of the
// table is ours: go4.org/netipx and gaissmai/bart hold prefixes and know none, and no
// maintained Go module has the addresses on which clouds answer their machines.
//
// # Patterns
//
//	example.org         the name, for the web (ports 80 and 443)
//	*.example.org       names below it, at any depth, and not itself
//	example.org:22      another port
//	example.org:*       every port
//	192.0.2.7  [2001:db8::1]:8080  192.168.1.0/24:*     addresses
//
// A pattern that denies without a port denies every port. Names below a public suffix
// (*.co.uk, *.github.io) can be denied and not allowed: anybody can have one.
package policy
