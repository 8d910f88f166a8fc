// Package journal keeps what a task changed in shared folders, so that a
// person can see it and take it back, even after a crash, a power cut or an
// update of the program.
//
// # Parties
//
// A [Journal] is a directory of its own, one for each task, which internal/recorder
// writes and internal/ledger reads; this package takes back and does again. A [Folder] of it
// is a shared folder as a store: it writes down what was there before it lets a
// change through. [Change] is what a person sees and [Journal.Content] what it was
// about; [Journal.Undo] takes changes back and [Journal.Redo] does them again, with
// or without the task, the VM or the share still being there.
//
// # What is written down
//
// Not the operations, but what was there before them, by inode and by directory,
// never by path (internal/ledger): objects (inodes that the task came near, as they were or
// as made by it), entries (names whose meaning it changed), images (content before
// the first change), extended attributes and owners before, references (deleted or
// replaced files themselves, moved into the journal on the same file system) and
// kept changes (how an undo found what it took back, for Redo). The list of changes
// is the difference between these tables and what the task left behind.
//
// A deleted file moves into the journal whole (refs/), where its file system allows it and its
// content is here: one that is only with a cloud service is copied, which downloads it.
// Content that is kept otherwise is in the log up to 64 KiB. A larger file gets an image
// that shares its blocks (FICLONE), else a copy up to 1 MiB, else parts: the blocks around what is
// about to change, each kept before it changes (internal/partial). What was before is the
// parts over the present file, as long as nobody but the task changes that; then it is
// ErrNoImage. A program that goes through a directory has the next small files kept
// ahead with one sync (internal/recorder/keep_ahead.go); after a power cut what was kept ahead is
// in doubt like what was being changed, and the disk decides (internal/recorder/decide.go).
//
// # Undo and redo
//
// Undo first keeps what it will replace or remove, then makes each file durable
// beside its place and renames it over; a file in parts or with several names is
// written in place after a record that says so. When the program dies there, the time and the
// content of the file tell what undo left by half from what a person saved since. Redo has package steps make the changes
// as the task did, so that they are undone like those, under new ids. Both go
// on where they were when the journal is opened again, or by [Finish], which the start of the
// program calls where [Unfinished] says so. A person's answers to
// conflicts are in [UndoOptions].
//
// # Promises
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
//     length is checked before it is used. Undo compares what comes from images/
//     with its SHA-256, where that is on record, and parts with their checksums.
//   - What undo did is durable in the folder before a record says so, and with it
//     gives up what the journal kept (undo_commit.go).
//   - Undo and redo overwrite nothing that a person changed since (compared by size,
//     times and SHA-256; above 1 GiB in parts by size and times alone) and never a
//     file that is in the way, unless the person said so. Their version becomes the
//     new before of what the task changes after it. Undo compares size and time once
//     more when it comes to a file.
//   - An undo that is stopped leaves each name with one version or the other.
//   - Owner, group, ACLs, capabilities and flags come back, or the report says what
//     could not. Directories get their times back, but for those a person changed.
//   - Damage in the middle of the log takes what stood there, up to the next mark.
//   - [Options] bound the bytes of the directory and of memory. A change without room
//     waits for [Options.OnFull], without locks, and is refused after a no.
//
// # Locks
//
// In the order in which they are taken; each may be taken alone.
//
//	Recorder.UndoMu  one undo, redo or list at a time
//	Changer.gate     read by changes; written by what has tasks wait
//	Changer.names    changes of names in a folder, one at a time
//	Object.Keep      while content of a file is kept
//	Recorder.Mu      the tables and appends to the log
//	partial.Image.Mu, the log's own
//
// # On disk
//
//	log            records (internal/ledger) in frames of internal/wal, appended only
//	images/O.G     content of object O before its first change, whole or in parts
//	refs/O.G       the inode of object O, which lost a name in the folder
//	undone/        what undo replaced or removed
//	lock           held by the process that has the journal open
//	unfinished     there while an undo or a redo is at work, or was cut off
//
// The directory is private to the user (0700). The guest never sees it. [Copy] makes
// one whose references are images, so that it can lie anywhere.
package journal
