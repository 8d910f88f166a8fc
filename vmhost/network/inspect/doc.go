// Package inspect answers the machine in the place of named hosts, so that rules about
// requests hold and secrets are put in that the machine never has. TLS ends here, on the
// host; for all other hosts it stays end to end.
//
// # Parties
//
// The guest is hostile: it makes the connections, the requests and their bodies. The server
// is the person's choice and has their secret, and may still repeat it by mistake. An
// [Inspector] belongs to one task: its authority is made for it in memory, signs for the
// named hosts alone (name constraints), and is trusted by the machine of that task alone.
//
// # A request
//
//	guest ── TLS of the task's authority ── judge ── put in ── TLS, checked ── server
//	guest ──────────── scrub (package scrub) ───────────────────────────────── server
//
// The name in the handshake, the host of the request and the host that the connection was
// allowed to be for are the same one, or nothing is sent. The method and the path are
// judged by the rules of the host: the first that is about them counts, and without one the
// request is refused. A rule about GET is about HEAD, too. Then the fields of the connection
// itself are left out, and those that would have a server read another method or path; the
// secret replaces whatever the guest sent in its field.
//
// The server is reached by the rules of the network (package network), at exactly the host
// and port that were named, and its certificate is checked against the roots of this
// computer. Redirects are answers: nobody follows them here, so that no secret does.
//
// Answers to requests with a secret are scrubbed. So that the secret is found in them, they
// are asked for whole and not compressed; one that is compressed all the same is refused.
// Bodies pass through and are kept nowhere.
//
// # Paths
//
// A path is read once, segment by segment, as [ParsePath] says. Whatever two servers could
// read differently is refused: "..", "//", ";", a backslash, an escaped percent sign. An
// escaped slash is no separator: only a rule that spells it out (/@*%2f*) allows it. Rules that
// refuse take it for a separator, too, and do not look at case, nor at a slash at the end.
//
// # What is not there
//
// CONNECT, TRACE and changes of the protocol (WebSockets) are always refused. Trailers and
// interim answers do not pass. Queries are not judged, but for one that names a method, or has
// bytes that none may have. Bodies are not judged at all: where a server reads another method in a
// form (_method=DELETE, as Rails and Laravel do), whoever allows POST there allows that, too.
//
// # Bounds
//
// 64 hosts with 4 KiB of names; 64 connections, 16 handshakes at once of 10 seconds, 64 requests
// at once; 32 KiB and 100 fields of a header, 8 KiB of a path; a minute without a byte ends a
// body, five minutes an answer; 16 GiB of a body. The authority lasts 72 hours.
package inspect
