// Package network is the network of one machine: a user-mode TCP/IP stack in the
// host process, behind the machine's card, that lets out what the person allowed.
//
// # Parties
//
// The guest is hostile: everything it sends is bounded and judged here, on the
// host. A [Network] belongs to one task; [Network.Serve] carries the frames of its
// machine. The policy is pure and stands in package policy; questions to a person
// go through a callback.
//
// # Names
//
// The guest's only name server is the gateway. It gives every name that may be
// asked about an address of its own (198.19.0.0/16), and the guest connects to
// that. So a connection says which name it means, a name that nobody allowed yet
// costs the person no question and the world no query (a query is a message to
// whoever owns the name), and real addresses are found on the host, at the moment
// of connecting, where the guest has no say in them. A name keeps its address for
// an hour after it was last used; an address that no name has is refused.
//
// What is known to be allowed is looked up before it is answered, so that a name
// that there is not is answered as such. Only questions of type A have an answer;
// others have an empty one. So there is no IPv6, and no key for an encrypted
// ClientHello, that a guest got from here.
//
// # A connection
//
// It is held until it is decided (by rules, by an answer that was just given, or
// by a person, for a minute at most), looked up, checked by its address, dialled,
// and checked again. Then the guest's handshake is finished. A refusal is a reset.
// Everyone who asks for the same host and port, or for the web ports of a host,
// shares one question; an answer that reaches no further than once is remembered
// for those who try again: an allowance for a minute, a refusal for half.
//
// Which program connects is not seen in a packet. [Config.Program] asks the machine,
// only for a question that is about to be put, and what it says stands in the question
// and nowhere else:
//
//	the machine lies about a name          a person reads another name, and that the task says so
//	it says what is no name                its caller makes a name of it (vm.VM.Program)
//	it does not answer, or is too slow     the question is put without, after a second
//	an allowed program's name is borrowed  rules, questions and memories know hosts, no programs
//	another program joins an open question the answer is for the host and port, as ever
//	it ends or hands on its connection     a question without a program, or with the heir's name
//	it asks for a thousand hosts           8 questions are open, so 8 connections are looked for
//
// On the ports 80 and 443, restricted, the first bytes must be an HTTP/1 request
// or a TLS ClientHello for the host that was connected to. Later requests of the
// same connection, and what is inside of TLS, an encrypted ClientHello among it,
// are not looked at: they reach the same server. Where the policy is to allow,
// first bytes are only looked at if there are rules that deny, and a name that is
// denied can still be reached by its address: rules that deny need restricted.
//
// # Other protocols
//
//   - IPv6 is not offered: no router advertisements, and its frames are dropped.
//   - UDP goes to the name server only. Everything else (QUIC, NTP) is answered
//     with port unreachable, so that clients fall back to TCP at once.
//   - ICMP: echo requests to the gateway. The gateway offers nothing on TCP.
//   - DHCP is not needed; IP options and fragments are dropped.
//   - SMTP (port 25) is refused unless a rule names that port.
//
// # Proxies
//
// Where [Config.Proxy] names a proxy (http:// or https://), connections leave through it
// with CONNECT, by the address that was found and judged on this computer: a name that
// only the proxy can find is not reached, since nobody here would know whether it leads
// inside. SOCKS is not supported: with such a proxy nothing is reached.
//
// # From the host
//
// [Network.Dial] makes connections for tools that fetch in the guest's place, by
// the same rules, questions and counters.
//
// # Bounds
//
// 256 connections, of which 64 may wait for a person; 8 open questions; 64 queries;
// 4096 names; 256 KiB in each direction of a connection. What is slow, on either
// side, slows only what it is connected to.
//
// # What it is made of
//
// gvisor's tcpip, directly. containers/gvisor-tap-vsock joins the same stack to
// QEMU's framing, but its switch allocates what a length prefix says, and panics
// at a frame shorter than its header; its forwarder dials by itself, so that a
// policy would have to be built around it; and it brings some twenty modules for
// what is left (DHCP, port forwarding, SSH). The framing is 4 bytes.
package network
