// Package journal keeps what a task changed in shared folders, so that a
// person can see it and take it back, even after a crash, a power cut or an
// update of the program.
//
// # Parties
//
// A [Journal] is a directory of its own, one for each task. A [Folder] of it
// stands for one shared folder: the share changes files only through a Folder,
// which writes down what was there before it lets a change through. [Change]
// is what a person sees and [Journal.Content] what it was about;
// [Journal.Undo] takes changes back and [Journal.Redo] does them again, with or
// without the task, the VM or the share still being there.
//
// # What is written down
//
// Not the operations, but what was there before them. The tables hold
//
//   - objects: inodes that the task came near, as they were when it did
//     (mode, time, size, where), or marked as made by the task;
//   - entries: names whose meaning the task changed, and what they meant;
//   - images: the content of a file before its first change, see below;
//   - attributes: all extended attributes of a file before the first of them
//     changes, or before the file is replaced by a copy. Only those of users
//     (user.*) are offered to the guest at all;
//   - owners: whom a file belongs to and what the system keeps with it (ACLs,
//     capabilities, flags), where a new file would not be the same by itself;
//   - references: files that the task deleted or replaced, moved into the
//     journal as they are when it lies on the same file system. They come back
//     with their inode, their links and their attributes;
//   - kept changes: how an undo found what it took back, for Redo.
//
// Everything is by inode and by directory, never by path, so that writing
// after a rename, through a hard link or below a moved directory is the same.
// The list of changes is the difference between these tables and what the task
// left behind; what is the same before and after is not in it.
//
// # Images
//
// Small content (64 KiB) is in the log. A larger file gets an image of its own,
// which shares the file's blocks where the file systems can (FICLONE). Where
// they cannot, up to 1 MiB is copied, and a larger file is kept in parts
// (parts.go): each time bytes of it are about to be written, cut off or punched
// out, the blocks of 64 KiB around them are appended to the image and synced
// before the change goes through. A program that goes on where it was makes ever
// more be kept ahead, up to 32 MiB, so that it waits for few syncs. Zeros and
// holes are noted and not copied; they come back as holes.
//
// # Kept ahead
//
// A program that goes through a directory and overwrites or deletes one small
// file after the other would wait for a sync for each. It does not: after three
// of them the next files of the directory (16, then 32, up to 256) are kept
// ahead with one sync for all (keep_ahead.go), and what happens to them waits for
// nothing.
//
// The order is still right. What is durable before the first of those changes is
// the object, its attributes and its content: all that undo needs but for the
// fact that there was a change. That fact is on the disk of the folder. A power
// cut takes a tail of the log; so whatever is missing in it happened after what
// is there, and only these operations do not wait: to write into a file that was
// kept ahead, or to remove its only name; and to make, move or remove what is the
// task's own. Every other one has the whole log durable before it. So, unless the
// journal was closed in order, it looks, when it is next used:
//
//   - a file that was kept ahead and is gone from its name was removed;
//   - one that differs in any way, or that another file took the name of, was
//     changed; what else is at its name is the task's;
//   - what is at a name that the task had emptied, or put something of its own
//     at, and is not that, is the task's as well;
//   - a thing that is found at a new name is not at its old one any more, unless
//     it is seen there.
//
// What happened clearly later than the newest record is a person's. What they did
// before is taken for the task's, and so is the removal of a file, which has no
// time: undo offers to take it back.
// Each doubt ends once, with the first record about its subject; until all have
// ended the journal does not say that it was closed in order, so the next one to
// open it looks as well. While an undo is unfinished nothing of this is done: it
// finds out by itself what is in its place already.
//
// # Parts
//
// What was before of a file in parts is the parts over the present file. That holds as long
// as nobody but the task changes the file. Once a person did, what was before
// cannot be told any more, and undo says so (no-before-image) instead of mixing
// the two. When the file loses its name and its inode does not go into the
// journal, the rest of it is copied first.
//
// Undo writes parts into the file itself: copying 10 GB aside to rename it over
// would be slower than what it undoes, and the inode, its links and whoever has
// it open would change. It stays atomic by the log: the parts are durable and a
// record says that they are being written back, so an interrupted rewrite is
// done again when the journal is opened. Another program that reads the file in
// this moment sees both versions. Every other content comes back through a
// durable file of undo's own that is renamed over, except into inodes with
// several names.
//
// A file in parts is hashed like any other up to 1 GiB. Above that SHA256 is
// empty; before and after are compared part by part, and a person's change is
// noticed by size and times alone (any difference is one).
//
// # Undo of undo
//
// Before undo changes anything it keeps what it will replace or remove: a name
// for the inode in undone/ where that is the same file system, else a copy, in
// the log when it is small, in parts where the image is. Where the limit leaves
// no room the undo is done all the same and cannot be redone. Redo makes the
// changes through a Folder as the task did. They are before-imaged, survive a
// crash and are undone like those, under new ids. One that goes on after a power
// cut finds what it had made in its place, as it was kept, and writes down again
// what the cut took from the log.
//
// A conflict can be answered ([UndoOptions]): keep what is there, restore what
// was (what is there becomes a kept change), or put what was beside it.
//
// # Copies
//
// A directory of references cannot be copied as it is: they are people's files
// themselves. [Copy] makes images of them, so that a journal can lie anywhere.
//
// # Limits
//
// [Options] limit the bytes of everything in the directory: log, images,
// references (a deletion on the same file system frees nothing), kept changes; and
// the memory for what is known of files and names. A change that has no room waits for [Options.OnFull] without a lock being
// held, one question for all that wait, and is refused after a no.
// [Journal.Forget] gives undo up by choice; [Expire] chooses journals that are
// old or too many, and [Remove] removes them.
//
// # Invariants
//
//   - What an operation destroys (content, a name, a mode, a time, attributes)
//     is durable in the journal before the operation is let through. When it
//     cannot be written down the operation is refused.
//   - Records of what the task makes new survive the death of the program at
//     once and a power cut after [SyncDelay] at most: what a power cut costs is
//     the listing of the newest files, never the undo of an earlier change.
//   - A record is written before its operation and says nothing about whether
//     that happened: the disk does. Dying between the two is harmless.
//   - Content in images/ and undone/ is durable before a record names it, and its
//     length is checked before it is used: a file is never made of a part of it.
//   - What undo brings back has the owner, group, ACLs, capabilities and flags that
//     it had, or the report says that it could not (Linux; elsewhere a file that is
//     still there keeps them, because undo writes into it).
//   - Damage in the middle of the log takes what stood there, up to the next mark.
//   - What undo did is durable in the folder before a record says that it was
//     done, and with it gives up what the journal kept (undo_commit.go).
//   - A person who changes a file in between becomes the author of what the
//     next before-image shows; undo brings their version back, not an older one.
//   - Undo and redo overwrite nothing that the person changed since (compared
//     by size, times and SHA-256) and never a file that is in the way, unless
//     the person said so. An interrupted undo or redo is finished when the
//     journal is opened again, with the answers that were given.
//   - Directories get their times back from an interrupted undo, too, however long
//     after the task it came: it says twice a second that it is at work, and which
//     directories a person had changed before, whose time is left alone.
//   - A file of [Folder.Tmpfile] is the task's own until it gets a name.
//
// # On disk
//
//	log            records (see record.go), appended only
//	images/O.G     content of object O before its first change, whole or in parts
//	refs/O.G       the inode of object O, which lost a name in the folder
//	undone/        what undo replaced or removed
//	lock           held by the process that has the journal open
//
// The directory is private to the user (0700). The guest never sees it.
package journal
