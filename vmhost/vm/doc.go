// Package vm is the runtime that runs a task in a virtual machine of its own.
//
// # Parties
//
// A [VM] is what a task has. It owns one machine: a QEMU process (vmhost/qemu),
// the conversation with the agent in it (vmhost/wire) and the connections on
// which folders, a gateway and a network are served (functions that its maker
// gives: this package knows nothing of files, keys and addresses). A [Factory] has machines ahead of the tasks; the
// store of its templates is vmhost/vm/template.
//
// # Life
//
//	Connect: restore ─────────────────────────────────────────────► ready
//	           └─► disk → machine → kernel → agent → prepare → mount ──┘
//	Close:   guest.shutdown → QMP quit → SIGKILL, each with its time
//
// A machine of a factory's is there at once: restored from a template, copied
// on write, or one that was booted before and waited, its processors stopped.
// It is asked everything before it runs and answers once. What differs between
// tasks reaches it afterwards: time, randomness, names, add-ons, folders. When
// it does not do, whatever the reason, the same Connect boots one, and a
// template that is to blame is made anew. After [Factory.Ensure]: key → stage →
// boot, warm, save → restore and ask → sync, rename; a template that cannot be
// made is tried again ever more rarely, and one VM waits instead. Whoever knows
// that a task is near says so, and a machine is restored ahead of it
// ([Factory.Expect]).
//
// There is no limit on how long booting may take in all: a slow machine may be
// slow. What ends it is silence, on the console and on the agent's port
// together, for longer than this machine's own proof boot makes plausible; the
// error names what was waited for and what to look at. A restore is a small
// part of a boot, and is given up in time to boot instead.
//
// Patience is counted on the machine's own clock, which stands still while it
// is paused ([VM.Pause]), while this computer sleeps and while this program is
// stopped. After each of them, and when this computer's clock was set, the guest
// is given the time.
//
// # Folders
//
// They reach the guest over a port (9p), everywhere, or on Linux as a device that
// sees the guest's memory (virtio-fs), which is faster. A machine for a device has
// memory of its own for that, into which the template's is copied while QEMU
// starts; it is asked to mount before it runs, and the device is plugged when it
// does. The server of a device is ended after the machine: a guest waits for its
// device for ever. Whatever fails before the VM is ready is no failure: the same
// machine mounts the folders over its port, or another one does, in the same
// Connect ([VM.Share] says which, and why). Guests change nothing about the choice,
// and add and remove no device: folders come and go in the one that there is.
//
// What belongs to the task and not to the person comes with them, in a directory
// of its own (Config.State, share.Set.AddState).
//
// # Links
//
// A guest has no interface but loopback, and nothing to speak with but its agent's
// port. A task that wants more is joined to it when the machine runs, from a
// template or not: to a gateway of the host's, by a port that carries streams
// (Config.ServeNet, vmhost/wire/mux), and to a network, by a card (Config.NIC). Both
// are functions that the maker gives. A guest that cannot be joined fails to
// connect; afterwards a link that ends is no end of the machine (links.go).
//
// # What ends a ready VM
//
// QEMU ends, the guest's kernel gives up, an image of the pack turns out not to
// be what it was signed as (vmhost.ReasonDamaged: the guest checks every block
// that it reads, and stops), the agent does not answer, its connection ends, it
// says what no agent says, the file server ends, this computer's disk is full:
// each puts the VM in the state failed with its reason ([vmhost.FailedError])
// and ends the machine at once.
//
// # Promises
//
//   - What the guest says is hostile until checked: lines, notifications,
//     answers and counts are bounded, and a guest that breaks the protocol
//     loses its machine, nothing else.
//   - Output is passed on with back-pressure: whoever receives it slowly slows
//     the guest down instead of filling memory.
//   - A booted and a restored VM are the same to a task, and two restored ones
//     share no random number, identity or byte of disk or memory that either
//     has written.
//   - After Close, and after a failed Connect, no process, socket, overlay or
//     goroutine of the VM is left. Logs stay. What a killed program left is
//     ended and removed by the next VM in the same place and by the next
//     factory.
package vm
