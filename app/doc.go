// Package app is the controller: one per data directory, held by a lock. It
// owns the pack, the machine and the tasks, and assembles the rooms below.
// It does not know its callers: a window, a command line, a script.
//
// # Parties
//
// [Controller] implements [Service]. Below it stand the packs, the proof boot,
// the runtimes, the share with its journal (seams.go; each has one adapter to
// the real thing). Beside it, on the disk: records and timelines (app/task),
// the log of executions (app/audit), settings. A second program on the same
// data directory gets a [lock.HeldError] and becomes a client.
//
// # The life of a task
//
// StartTask returns when the record is durable. One goroutine then does the
// work of the task (work.go): it waits for room (places.go), finds out whether this
// computer is ready, makes a box (runtime, share and journal: box.go), executes, and
// records how it ended. A chore plans in a box where every folder is read-only,
// waits for its plan to be accepted while no machine runs and its room is others',
// and does it in a fresh box. What happens is written down beside the work
// (notes.go); before anything is executed, what was so far is on the disk.
//
// An AI task of a chore (work_aided.go) is planned and accepted like a chore, has its
// part without an AI done, and then its agent asked, with the folders read-only or
// with changes that wait for a yes.
//
// A task ends when its work does, when it is cancelled, when its caller's
// context ends (unless it is detached) and when the controller closes. In every
// case the order is the same: the runtime ends, then the share, then the
// journal; only then is the final state recorded and told.
//
// # Folders that come and go
//
// A program or an AI task can be given more folders until it is over, and folders
// can be removed from it (folders.go); an AI may ask for one (ai_folders.go). The audit log and the record
// name a folder before the guest sees it, so that undo finds it even after a crash. A
// removed folder stays in the record with its changes; added again, it is the same folder.
// A chore works on the folders of its plan.
//
// # Room
//
// Each task has a machine of its own, and as many work at once as this computer has
// memory for (app/capacity decides). The others are queued, in the order in which
// they were asked for; nobody is overtaken. One that waits for room again, to do its
// plan, says so by a step.
//
// # Machines that are there at once
//
// When this computer is ready and nobody needs it, a factory makes what lets the
// next machines be there at once (instant.go), and tasks get theirs from it. It is
// made for what tasks run on now: another pack, accelerator or size means another
// one. A task that begins meanwhile comes first. Without it, and whenever it does
// not do, machines boot, with the same result.
//
// # Promises
//
//   - Nothing is executed that the audit log could not record before.
//   - A task never runs in a weaker place than was asked for: what a runtime
//     cannot enforce it refuses, and the slow mode is chosen by a person.
//   - A task that was not finished when the program ended is failed
//     ("interrupted") at the next start; its changes can still be undone.
//   - Right before a machine starts, what of the pack will be run is checked: all
//     of it before a boot, QEMU before a restore, whose kernel and first programs
//     are in memory that the program saved itself. A restore that becomes a boot
//     checks the rest first.
//   - An idle program has no machine, but for one that waits on computers that
//     cannot restore, and that one not for long.
//   - Errors of Service are problems (app/problem) wherever a person could do
//     something about them.
package app
