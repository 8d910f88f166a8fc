// Package port is the guest's side of a virtio-serial port
// (drivers/char/virtio_console.c): found by its name, read and written without
// ever blocking for good.
//
// # How a port behaves
//
// A port can be open once in the guest and has one connection on the host. While
// the host is away a read gives end of file and a write would wait; both work
// again on the same descriptor when the host is back, so a [Port] stays open
// and each stay of the host is one conversation: it begins after [Port.AwaitHost]
// and ends with io.EOF from Read or [ErrHostGone] from Write.
package port
