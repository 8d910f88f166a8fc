// Package wire is the protocol between the host and the agent in the guest,
// defined once for both sides.
//
// # Parties
//
// The host opens a JSON-RPC 2.0 conversation (https://www.jsonrpc.org/specification)
// over the virtio-serial port [PortRPC] of a machine, or the agent's standard input
// and output elsewhere: one message per line, UTF-8, ended by LF, at most [MaxLine]
// bytes. The host calls and the guest answers; both send notifications. A call of the
// guest is answered with an error: the host has no methods.
//
// A guest answers guest.hello, guest.echo and guest.shutdown at any time; all else waits
// for its root image. It belongs to nobody until guest.prepare, which brings time,
// randomness, names, the add-ons and the folders; programs run after it.
//
// guest.warm does everything that is the same for all tasks, on the disk as it
// is then. A machine is saved as a template, or made to wait, after its answer;
// guest.prepare is then all that is asked of each copy. A copy's disk holds the
// template's bytes of the moment of saving. Time and randomness of a copy are
// stale until guest.prepare, time again after every pause (guest.clock).
//
// # Invariants
//
//   - A conversation begins with a line that holds only CAN (0x18), from both
//     sides. What was half said before it is dropped; in the guest it ends the
//     conversation before, whose end is not seen otherwise.
//   - Where the host says so (ExecParams.Raw), output follows its message as it is, and as long
//     as the message says: {…"stream":"stdout","size":5}}, a line feed and five bytes.
//   - Where the host says so (ExecParams.Ahead), the output of an execution runs ahead of who
//     takes it by so much at most ([NotifyExecTaken]), and waits in its program then.
//   - What does not fit in a line goes through files or streams, never through
//     a longer line. A longer line ends the conversation ([ErrLineTooLong]).
//   - Ids of sessions, executions and tool runs are chosen by the caller, so that it
//     can ask again for a lost answer, and cancel what has not been answered yet.
//   - Unknown methods are answered with an error, unknown fields are ignored:
//     an older side survives a newer one. A different [Version] is a named
//     error ([CodeVersion]).
//   - Everything that comes from the guest is hostile input: bounds are checked
//     by [Channel] and by the Validate methods before a value is used.
//
// # Other ports
//
// Folders are a device of the machine ([KindVirtioFS], [KindVirtio9P]), whose root may
// have a state beside the folders ([StateName]). [PortNet] carries streams (package mux) and is
// plugged when the machine runs; guest.gateway has a bridge listen at
// [GatewayAddr] for it. guest.network sets up a network card that was plugged. A
// guest says in its hello which of them it can; without them it is refused by
// name. A guest whose root is there prints [ConsoleReady] on the console, for a
// host without an RPC port.
package wire
