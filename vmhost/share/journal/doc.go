// Package journal keeps what a task changed in shared folders, so that a
// person can see it and take it back, even after a crash, a power cut or an
// update of the program.
//
// # Parties
//
// A [Journal] is a directory of its own, one for each task. A [Folder] of it
// stands for one shared folder: the share changes files only through a Folder,
// which writes down what was there before it lets a change through. [Change]
// is what a person sees; [Journal.Undo] takes changes back, with or without
// the task, the VM or the share still being there.
//
// # What is written down
//
// Not the operations, but what was there before them. The tables hold
//
//   - objects: inodes that the task came near, as they were when it did
//     (mode, time, size, where), or marked as made by the task;
//   - entries: names whose meaning the task changed, and what they meant;
//   - images: the content of a file before its first change, in the log when
//     it is small, else in a file of its own (sharing blocks where the file
//     system can);
//   - references: files that the task deleted or replaced, moved into the
//     journal as they are when it lies on the same file system. They come back
//     with their inode, their links and their attributes.
//
// Everything is by inode and by directory, never by path, so that writing
// after a rename, through a hard link or below a moved directory is the same.
// The list of changes is the difference between these tables and what the task
// left behind; what is the same before and after is not in it.
//
// # Invariants
//
//   - What an operation destroys (content, a name, a mode, a time) is durable
//     in the journal before the operation is let through. When it cannot be
//     written down the operation is refused.
//   - Records of what the task makes new survive the death of the program at
//     once and a power cut after [SyncDelay] at most: what a power cut costs is
//     the listing of the newest files, never the undo of an earlier change.
//   - A record is written before its operation and says nothing about whether
//     that happened: the disk does. Dying between the two is harmless.
//   - A person who changes a file in between becomes the author of what the
//     next before-image shows; undo brings their version back, not an older one.
//   - Undo overwrites nothing that the person changed since (compared by size,
//     times and SHA-256) and never a file that is in the way. Every step of it
//     is one atomic rename or link, and an interrupted undo is finished when
//     the journal is opened again.
//
// # On disk
//
//	log            records (see record.go), appended only
//	images/O.G     content of object O before its first change
//	refs/O.G       the inode of object O, which lost a name in the folder
//	undone/        what undo replaced or removed, where that costs nothing
//	lock           held by the process that has the journal open
//
// The directory is private to the user (0700). The guest never sees it.
package journal
