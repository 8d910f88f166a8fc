// Package tasks is the life of tasks: a request becomes a record, waits for its place,
// works in a machine and ends, goes on or is done again.
//
// A [Runner] starts tasks and reaches those that live; folderChooser decides which folders
// they may have, conversations reaches the agents of AI tasks. A [Live] is one task, with
// one goroutine that does its work (run); others only cancel, accept, answer and look. It is
// made of its record (task.json and timeline, written beside the work), its workplace (a
// place in the queue, a machine, a journal) and, for an AI task, its conversation (package
// aitask). It works in an environment: a machine, the share that serves its folders and the
// journal behind. What it may do without a person its gate says (package consent), what it did
// is history's (package history), and whoever else wants the same task asks the registry.
//
// Files: request and again make a task of a request, tasks, live, record and workplace are
// its states, work* is what it does by its kind, environment and folders are what it works in,
// talk, model and reach pass on what a person says to an AI task, resume has one that is over go
// on, sessions and act are what others do in it, and apart what of that is no client's, place and
// network where it works and whom it reaches, meter is how far it is, upload and toolrequest are
// what a request brings.
//
// # The life of a task
//
// StartTask returns when the record is durable. One goroutine then does the
// work of the task (work.go): it waits for room (admission queue), finds out whether this
// computer is ready, makes an environment (runtime, share and journal: environment.go), executes, and
// records how it ended. A chore plans in an environment where every folder is read-only,
// waits for its plan to be accepted while no machine runs and its room is others',
// and does it in a fresh environment. What happens is written down beside the work
// (package notes); before anything is executed, what was so far is on the disk.
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
// can be removed from it (folders.go); an AI may ask for one. The audit log and the record
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
// # Locks
//
// Order of locks: workplace.foldersMu, those of package aitask, Live.mu, record.writing,
// task.Store's. A note takes record.writing: nobody waits for notes with it. With Live.mu one
// may, so no note takes that. journalMu is held, to read, for as long as the journal is lent;
// room.mu, meter.mu and the notes' own take no other. None is held while a person is asked.
package tasks
