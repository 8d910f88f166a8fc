// Package app is the controller: one per data directory, held by a lock. It
// owns the pack, the machine and the tasks, and assembles the rooms below.
// Who looks at it (a window, a command line, a script) it does not know.
//
// # Parties
//
// [Controller] implements [Service]. Below it stand the packs, the proof boot,
// the runtimes, the share with its journal (seams.go; each has one adapter to
// the real thing). Beside it, on the disk: records and timelines (app/task),
// the log of executions (app/audit), settings. A second program on the same
// data directory gets a [LockedError] and becomes a client.
//
// # The life of a task
//
// StartTask returns when the record is durable. One goroutine then does the
// work of the task (work.go): it finds out whether this computer is ready, makes
// a box (runtime, share and journal: box.go), executes, and records how it
// ended. A chore plans in a box where every folder is read-only, waits for its
// plan to be accepted while no machine runs, and does it in a fresh box.
//
// A task ends when its work does, when it is cancelled, when its caller's
// context ends (unless it is detached) and when the controller closes. In every
// case the order is the same: the runtime ends, then the share, then the
// journal; only then is the final state recorded and told.
//
// # Promises
//
//   - Nothing is executed that the audit log could not record before.
//   - A task never runs in a weaker place than was asked for: what a runtime
//     cannot enforce it refuses, and the slow mode is chosen by a person.
//   - A task that was not finished when the program ended is failed
//     ("interrupted") at the next start; its changes can still be undone.
//   - Errors of Service are problems (app/problem) wherever a person could do
//     something about them.
package app
