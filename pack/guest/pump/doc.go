// Package pump brings a 9P file server that speaks on a virtio-serial port to
// the kernel's 9p client in the guest.
//
// The client (Documentation/filesystems/9p.rst, trans=fd) of the guest's own kernel
// speaks on the port itself (pack/image/kernel/recipe/patches); the pump then only
// watches: it holds one end of a socket pair, whose other end the client hangs on.
// Debian's kernel refuses the port, since the port has no read_iter. There the
// client gets one end of the socket pair, and the pump copies between the other
// end and the port. Which it is is found out by trying.
//
// # Why a process of its own
//
// A program that touches a mounted share in a system call or a page fault
// waits for the pump. Were the pump in that same program, it could wait for
// itself: Go stops all goroutines to start a process or to collect garbage. The
// pump therefore touches no file after it mounted, allocates nothing in its
// loops and never collects.
//
// # Life
//
// [Start] runs the pump, which opens everything and waits; [Pump.Mount] has it
// mount and say so. Between them a machine may be saved and restored.
//
// [Pump.Early] mounts before there is a host: the pump answers the client what
// the host is going to say of the root, and nothing else. [Pump.Mount] then has
// the pump tell the host the same conversation (Tversion, Tattach, Tgetattr) and
// copy from then on, or hand the port over to the client, provided that the host
// says the same; else the mount is taken away and made anew ([ErrAnew]). A host
// sees an ordinary conversation either way.
//
// A pump ends when the share is unmounted (the client closes its socket) or when
// the host leaves (the client then answers every call with an error); after the
// latter the dead mount is detached, so that the share can be mounted again.
package pump
