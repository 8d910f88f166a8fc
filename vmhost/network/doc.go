// Package network is the network of one machine: a user-mode TCP/IP stack in the
// host process, behind the machine's card, that lets out what the person allowed.
//
// # Parties
//
// The guest is hostile: everything it sends is bounded and judged here, on the host. A
// [Network] belongs to one task; [Network.Serve] carries the frames of its machine, and
// [Network.Dial] connects for tools that fetch in the guest's place, by the same rules, and
// [Network.ServeDoor] is a proxy for programs of a place that has no card.
// Package policy decides; questions to a person go through a callback.
//
// # A connection
//
// The guest's only name server is the gateway. It gives every name that may be asked
// about an address of its own (198.19.0.0/16), so that a connection says which name it
// means. A name that nobody allowed yet costs no question and no query in the world.
// Real addresses are found on the host when it connects. A name keeps its address for an
// hour after its last use; an address of that range to which no name belongs is refused.
// A real address is judged by itself.
//
// A connection is held until it is decided (by rules, a remembered answer, or a person,
// for a minute at most), looked up, checked by its address, dialled, and checked again.
// Then the guest's handshake is finished; a refusal is a reset. All who ask for the same
// host and port share one question (80 and 443 are one). An answer for once is remembered
// for those who try again: an allowance for a minute, a refusal for half.
//
// The question names the program that connects, when the machine says it within a second
// ([Config.Program]). It may lie: nothing is decided by it, and the question says that it
// is a claim.
//
// On the ports 80 and 443, restricted, the first bytes must be an HTTP/1 request or a TLS
// ClientHello for the host that was connected to, or at an address for a name that is allowed;
// what follows in the same connection reaches the same server and is not read. Where all is
// allowed, first bytes are read only when something can be denied by name (rules, [Config.Over],
// [Config.Inspect]), and a denied name is still reached by its address and first bytes that do
// not name it. So is a host whose requests are judged (package inspect), by an address that is
// allowed and TLS that names no host: without its secret, which is put in on the host alone.
// Refusing such TLS would take the servers without a name, as some clusters of Kubernetes.
//
// # What is not there
//
//   - IPv6: no router advertisements; its frames are dropped. Queries other than for A
//     have an empty answer.
//   - UDP but for names: port unreachable, so that clients fall back to TCP at once.
//   - ICMP but for an echo of the gateway, DHCP, IP options, fragments.
//   - SMTP (port 25), unless a rule names that port.
//   - SOCKS: with such a proxy nothing is reached. Through an HTTP proxy ([Config.Proxy])
//     connections go with CONNECT, to the address that was judged on this computer.
//
// # Bounds
//
// 256 connections, of which 64 may wait for a person; 8 open questions; 64 queries;
// 4096 names; 256 KiB in each direction of a connection.
//
// # What it is made of
//
// gvisor's tcpip, directly. containers/gvisor-tap-vsock was tried: its switch allocates
// what a length prefix says and panics at a short frame, its forwarder dials by itself,
// and it brings twenty modules for DHCP, port forwarding and SSH.
package network
