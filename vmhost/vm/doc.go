// Package vm is the runtime that runs a task in a virtual machine of its own.
//
// # Parties
//
// A [VM] owns a QEMU process (vmhost/qemu), the conversation with the agent in
// it (vmhost/wire) and the connection on which the folders are served (a
// function that its maker gives: this package knows nothing of files).
//
// # Life
//
//	Connect: disk → machine → kernel → agent → prepare → mount → ready
//	Close:   guest.shutdown → QMP quit → SIGKILL, each with its time
//
// There is no limit on how long connecting may take in all: a slow machine may
// be slow. What ends it is silence, on the console and on the agent's port
// together, for longer than this machine's own proof boot makes plausible.
//
// # What ends a ready VM
//
// QEMU ends, the guest's kernel gives up, an image of the pack turns out not to
// be what it was signed as (vmhost.ReasonDamaged: the guest checks every block
// that it reads, and stops), the agent does not answer, its connection ends, it says what no agent says, the file server ends, this
// computer's disk is full: each puts the VM in the state failed with its
// reason ([vmhost.FailedError]) and ends the machine at once.
//
// # Promises
//
//   - What the guest says is hostile until checked: lines, notifications,
//     answers and counts are bounded, and a guest that breaks the protocol
//     loses its machine, nothing else.
//   - Output is passed on with back-pressure: whoever receives it slowly slows
//     the guest down instead of filling memory.
//   - After Close, and after a failed Connect, no process, socket, overlay or
//     goroutine of the VM is left. Logs stay.
package vm
