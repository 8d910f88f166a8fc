// Package operate carries out the typed operations of pack/tools. Its table (handlers)
// says who carries out which; package job has what they are made of.
//
// # Parties
//
// An operation is one process ([Main], cmd/piwork-operate) in a cgroup of its own, as an
// ordinary user, started by the agent for one call, or before there is one, since starting
// takes longer than most operations. It reads the order on stdin, writes events to stdout
// (order.Event), starts the programs of the pack, and ends. The agent bounds its time and
// memory and can end it at any moment; it turns the events into notifications and the
// answer.
//
// # Users
//
// In folders the process works as the user whose files these are. What it starts runs as
// another one, which may do nothing there, and which the scratch directory belongs to. Both
// are users of this process from its start (credentials(7)): the effective and the real
// one. So it needs no right to start programs as the other, or to end them. What lies in
// scratch it touches as that other user, too: a link that a program left there leads to
// nothing that the program could not reach.
//
// # Promises
//
//   - A link is followed as far as it stays in the chosen folder that it lies in, in
//     the same step in which the file is opened. One that leads out is a problem.
//   - It and its programs have no sockets of a network, whatever the machine has: the
//     agent starts it offline.
//   - Its programs reach no other files than their copy and the system's, and no other
//     process: in a machine always, elsewhere as far as the kernel's Landlock can
//     (job/confine_linux.go).
//   - Inputs are never written. What programs work on is a copy in a scratch
//     directory, taken while the input was checked, under a name of ours: a
//     file that changes meanwhile, or a strange name, reaches no program.
//   - One bad input is one problem; the rest is still done.
//   - The result appears whole or not at all, and never replaces what is there
//     unless that was asked for: it is made in scratch, copied beside its
//     target under a temporary name, synced and renamed.
//   - The same inputs and parameters give the same bytes.
//   - When the process is ended in between, only a temporary file or folder can
//     be left beside the target; the agent knows its name (order.Event.Placing) and has it
//     removed (job.Clean). Of many results, those that were placed before stay.
package operate
