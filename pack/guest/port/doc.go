// Package port is the guest's side of a virtio-serial port
// (drivers/char/virtio_console.c): found by its name, read and written.
//
// # How a port behaves
//
// A port can be open once in the guest and has one connection on the host. While
// the host is away a read gives end of file and a write would wait; both work
// again on the same descriptor when the host is back. The kernel hears of the
// host's going and coming on another queue than of its bytes: the first bytes of
// a new connection can be read before the end of the old one is known. So an end
// of file means nothing, and a [Port] hides it: whoever reads it sees one
// unending stream, in which the hosts tell themselves apart (wire.Accept).
package port
