// Package agent answers the host: it is the guest's side of vmhost/wire.
//
// # Conversations
//
// [Agent.Converse] serves one stay of the host on the port. What was started
// in one conversation lives on in the next: ids are the host's, so a lost
// answer is asked for again by exec.wait. Notifications wait for a
// conversation, which holds the program that writes them (back-pressure).
//
// # Readiness
//
// guest.hello, guest.echo and guest.shutdown are answered at once. Everything else
// waits until the root image is mounted, and fails with CodeGuestFault when that
// failed. guest.warm is for a guest that is nobody's; what is neither that nor
// guest.prepare is for one that guest.prepare made a task's.
//
// # Bounds
//
// Every message is checked by its Validate method. At most [maxCalls] calls
// are worked on at a time and at most [maxLong] of them may be ones that wait
// for a program or a share; further ones are answered with CodeBusy, so that a cancel
// is always heard. What the host sends may be anything: a message that is none of
// the protocol's is answered or dropped, and never ends the guest.
package agent
