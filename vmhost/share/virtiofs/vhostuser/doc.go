// Package vhostuser is the device's side of vhost-user: it answers the control
// messages of QEMU and takes requests off the rings of a guest
// (https://qemu-project.gitlab.io/qemu/interop/vhost-user.html, Virtual I/O
// Device 1.2 §2.7 "Split Virtqueues"). Linux only.
//
// It began as a copy of internal/vhostuser of go-fuse v2.12.1 (see
// LICENSE.go-fuse), which waits for itself when a ring is disabled, does not
// know GET_VRING_BASE, trusts the lengths of messages and the indexes of rings,
// and panics on both. What is here is maintained by us.
//
// # Parties
//
// The guest writes the rings and the memory they point to, at any time, and is
// hostile. QEMU sends the messages; it is believed to be what we started, and
// yet may have been taken over by its guest. Between them and the caller's
// handler stand
//
//	message_linux.go  the form of every message, and what is none
//	memory_linux.go   the guest's memory: checked, mapped, unmapped after its last use
//	ring_linux.go     one split ring: descriptors read once, chains bounded
//	queue_linux.go    the life of a ring: started, stopped, parked, started again
//	device_linux.go   what the messages do
//	serve_linux.go    the connection
//
// # Promises
//
//   - Whatever is in a message or a ring, nothing outside of the guest's memory
//     is touched, nothing panics, and what is held is bounded: [MaxQueue]
//     requests of [MaxBytes] at once for each queue, twice as many with those
//     of before a reset. What is no message or no ring ends the connection with a
//     [*ProtocolError], after which the owner ends the machine.
//   - A descriptor is read once; lengths are checked in the copy.
//   - A page of the guest that is not there any more (its file was cut off), or
//     a panic, ends the connection with a [*PanicError], not the program.
//   - A ring that is stopped (QEMU does that when the machine pauses, resets or
//     loses the device) gives QEMU an answer within [DrainTime], also when a
//     request waits for a person. Its reply is kept, and goes out when the same
//     ring is started again; after a reset it is dropped.
//   - Descriptors of files that came with messages are owned: they are closed
//     when they are replaced, refused or the connection ends.
//   - Serve returns when nothing that it started runs any more, or, after
//     [Options.Patience], with the error that something still does.
package vhostuser
