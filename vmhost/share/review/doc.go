// Package review is the folder mode in which nothing of a person's is touched
// until they accept it: a [Layer] in front of a folder takes what a task
// changes, the guest sees both as one, and the person applies all or some.
//
// # Parties
//
// A Layer is a private directory of a task and the folder in front of which it
// stands, the original. The share shows it through [Layer.Store]. The original
// is read by handle below its root (internal/at) and never opened for writing;
// only [Layer.Apply] changes it, and only through the task's journal (journal/steps), so
// that undo takes it back. The list of changes and their contents are those of
// vmhost/share/journal.
//
// # How it works
//
// There is no second tree of directories, but a table (table.go): nodes are the files and
// directories that the task changed, entries the names whose meaning it changed. Whatever has no
// node is the original as it is at that moment, so what a person edits is seen at once. What the
// task has changed stays as the task left it. Content is copied when it first changes, not when
// it is opened (stage.go), and of a large file only what changes (ranges.go).
//
// # Promises
//
//   - The original is not changed by anything a guest does, and cannot be lost:
//     whatever happens to the layer, the folder is as the person left it.
//   - Every change of names, modes and times is one record of a log with checksums. It
//     survives the death of the program at once, and a power cut after half a second at most
//     or when the guest asks for it (fsync). A power cut may cost the newest content that the
//     guest did not fsync, and never what a file had before (safe.go).
//   - A list reads no original that is only with a cloud service (package online), and no file that
//     is mostly holes: neither has a hash. Apply, which keeps what it replaces, downloads the first
//     after the person's yes.
//   - What a person changed since the task did is never overwritten by Apply without being
//     asked: compared by size, times, inode and, where the task read all of it, SHA-256.
//   - Apply replaces each file in one step, but writes large ones and those with several names
//     in place. The merged view stays the same with each. Where Apply dies it goes on the next
//     time; its temporary files have names that guests do not see, and the next Apply removes
//     them. An original that it moved out of the way gets a name of the person's again before
//     its change is forgotten (putback.go).
//   - Disk and memory are bounded ([Options]); a listing of a directory holds nothing in memory.
//
// On a host that does not tell upper from lower case, names of staged files are still told
// apart; Apply reports the second as a conflict.
//
// # Locks
//
// In the order in which they are taken: Layer.apply (one list, Apply or Discard at a
// time), node.io (where the content of a file is), base.mu (tables and log), those of
// the journal that Apply writes to, volatile.mu and sums.mu.
//
// # On disk
//
//	log         records (record.go), in the frames of internal/wal
//	objects/N   staged content
//	lock        held by the process that has the layer open
//
// The directory is private to the user (0700). The guest never sees it.
package review
