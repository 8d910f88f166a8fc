// Package chore holds the ready-made chores: a plan computed read-only where the
// task works (mostly a VM), shown to the person, then carried out exactly.
//
// # Parties
//
// A [Chore] gets an [Env] from the controller: the folders, what to do actions
// with, and who hears of progress. Which files there are it reads from the
// names in the folder on the host ([List]); what is in them is looked at only
// where the task works, because a file may be hostile.
//
// # Invariants
//
//   - Plan changes nothing: every folder of its Env is read-only.
//   - Run does what the plan says and nothing else. It first looks at every
//     input again: one that is not as the plan saw it is a conflict
//     ("changed-since"), and nothing is done. So is the copy that stays when a
//     duplicate is set aside.
//   - What cannot be done to single inputs is a problem in a list while the
//     rest is done. A plan names the inputs that it leaves out.
//   - An existing file is never replaced; a result appears whole or not at all.
//   - Run of a mover or maker may be called again with the same plan after it was
//     interrupted: what was moved or made stays, and is not done again.
//   - A password is in no plan and no record.
//
// # Shapes
//
// Most chores are values of two types: a mover gives files other places or names,
// a maker makes new files, of each file or of all of them. A maker says which
// files it looks for, what operations make of one, and what their parameters are;
// planning, names, batches, limits, checks of what the guest answers and going on
// after an interruption are the same for all.
//
// An [Aided] chore is another chore and what an AI adds to it: which files the AI
// looks at, what it is asked, and the result that it has to make.
//
// Planning itself (order, names, batches) is pure; see the tables in the tests.
package chore
