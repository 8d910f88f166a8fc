// Package resume carries a stream of bytes in both directions over transports that come and
// go: a lost SSH connection is replaced by another one, and nothing is lost or said twice.
//
// # Parties
//
// A [Link] stands on each side. It takes bytes from something local (a program, a
// conversation) and gives it what came. [Link.Attach] has it use a transport until that
// ends; then the next one is attached.
//
// # Frames
//
//	type  length (32 bits)  payload
//	H     8    how much this side received so far; the first frame of a transport
//	D     ≤64K bytes of the stream
//	A     8    how much of the stream the local side took
//	E     ≤4K  the local side ended; why
//	F     0    the end was heard
//	P     0    nothing: the transport works
//
// # Limits
//
//   - A side keeps what the other side's local part has not taken, at most [Window]; then the
//     local part waits. So it is bounded on both sides, however long a transport is missing.
//   - A transport on which nothing comes for [Quiet] is given up.
//   - Whoever breaks these rules loses the transport with [ErrProtocol].
//
// The messages by which an agent is started on another computer are here too: [Request]. The
// programs of a pack go there as a tar, compressed with gzip from the byte on that is missing:
//
//	here   {"action":"send","pack":"0123…"}
//	there  {"have":1048576}, or {"ready":true} and no more
//	here   gzip of the rest; {"action":"sent","sha256":"4567…"}
//	there  {"ready":true}
package resume
