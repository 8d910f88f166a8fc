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
// There is no second tree of directories, but a table (table.go):
//
//   - nodes: files and directories that the task changed. A node of an original
//     says at which path of the original it is, so that a directory is moved
//     without looking into it, and that what is below it follows; another path
//     to it in the merged view does not exist. A node that the task made has
//     none. Content is in objects/N; mode, times and extended attributes are in
//     the node.
//   - entries: names whose meaning the task changed, by directory: a node, or
//     nothing. They know what the original had there.
//
// A path is resolved in memory, name by name, to a node or to a path of the
// original, which is then looked at once. Whatever has no node is the original
// as it is at that moment: what a person edits is seen at once. What the task
// has changed stays as the task left it.
//
// Content is copied when it first changes, not when it is opened: by sharing
// blocks where the file system can, whole when it is small, and else only the
// granules that change (ranges.go). All handles of a file share its node, so a
// reader sees what another handle writes, before and after that, and files
// without a name go on. Inode numbers stay the same when content is copied.
//
// # Promises
//
//   - The original is not changed by anything a guest does, and cannot be lost:
//     whatever happens to the layer, the folder is as the person left it.
//   - Every change of names, modes and times is one record of a log with
//     checksums. It survives the death of the program at once, and a power cut
//     after half a second at most or when the guest asks for it (fsync). A power
//     cut may cost the newest content that the guest did not fsync, as on any
//     disk, and never what a file had before: an object is durable with all that it
//     is to keep before a record names it, and lost content is named and not applied
//     (safe.go).
//   - What a person changed since the task did is never overwritten by Apply
//     without being asked: compared by size, times, inode and, where the task
//     read all of it, SHA-256.
//   - Apply replaces each file in one step, and the merged view stays the same
//     with each. Where it dies it goes on the next time; temporary files of it
//     have a name that guests do not see and that the next Apply removes.
//     An original that it moved out of the way of another is no such file: it gets a
//     name of the person's again before its change is forgotten (putback.go).
//   - Disk and memory are bounded ([Options]); a listing of a directory holds
//     nothing in memory.
//
// Where a large original was changed by a person below the granules that the task
// changed, the task's version is not whole any more: reading it fails (ErrMixed)
// and Apply reports it. On a host that does not tell upper from lower case, names
// of staged files are still told apart; Apply reports the second as a conflict.
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
