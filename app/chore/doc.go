// Package chore holds the ready-made chores: a plan computed read-only in the
// VM, shown to the person, then carried out exactly.
//
// # Parties
//
// A [Chore] gets an [Env] from the controller: the folders, what to do actions
// with, and who hears of progress. Which files there are it reads from the
// names in the folder on the host ([List]); what is in them is looked at in the
// VM only, because a file may be hostile.
//
// # Invariants
//
//   - Plan changes nothing: every folder of its Env is read-only.
//   - Run does what the plan says and nothing else. It first looks at every
//     input again: one that is not as the plan saw it is a conflict
//     ("changed-since"), and nothing is done.
//   - What cannot be done to single inputs is a problem in a list while the
//     rest is done. A plan names the inputs that it leaves out.
//   - An existing file is never replaced; a result appears whole or not at all.
//
// Planning itself (order, names, batches) is pure; see the tables in the tests.
package chore
