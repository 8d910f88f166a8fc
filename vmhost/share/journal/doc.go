// Package journal keeps what a task changed in shared folders, so that a person can see it and
// take it back, even after a crash, a power cut or an update of the program.
//
// # Parties
//
// A [Journal] is a directory of its own, one for each task. A [Folder] of it is a shared
// folder as a store: it writes down what was there before it lets a change through
// (internal/recorder). What is written down is in internal/ledger: not operations, but what
// was there, by inode and by directory, never by path. [Change] is what a person sees and
// [Journal.Content] what it was about; [Journal.Undo] takes changes back and [Journal.Redo]
// does them again, with or without the task, the VM or the share. An undo works like a task: its
// steps (package steps) are recorded in a second journal, the journal of undos, which is inside of the
// task's. A redo takes back what that recorded, so that both are one code (revert.go). Either goes
// on when the journal is opened again, or by [Finish] at the start, where [Unfinished] says so.
//
// # Promises
//
//   - What an operation destroys (content, a name, a mode, a time, attributes) is durable in
//     the journal before the operation is let through, or the operation is refused: as ESTALE
//     what would change a file that a person wrote to during each of three tries to copy it.
//     If they only appended, what it had before the third is kept, and what they appended is in
//     the file, unless the task's change takes it away.
//   - Records of what the task makes new survive the program's death at once, a power cut after
//     [SyncDelay], which costs the listing of the newest files, no undo of an earlier change.
//   - A record is written before its operation; the disk says whether that happened. How the task
//     left a file is written down when the file is closed or left alone for 100 ms. When the program
//     dies, a file without such a record is a conflict, unless it has nothing but what the journal
//     keeps, and what has a name without a record that the task made it is the person's.
//   - What undo or redo did is durable in the folder before a record says so, and with it
//     gives up what the journal kept (revert.finish). With a disk that is pulled out
//     before, either fails, and goes on when the disk is back, which is tried with a file at
//     the top of each folder: the system may go on to show what the lost disk should have had.
//     A disk mounted inside is not tried, and one that failed once and then works is believed.
//   - Undo and redo overwrite nothing that a person changed since, or while the task had it open
//     (internal/recorder says where), by size, times and SHA-256 (by size and times above 1 GiB in
//     parts, or if mostly holes), and no file that is in the way, unless the person said so
//     ([UndoOptions]). What they save by renaming between the last look at a file and the microsecond of
//     its change is given back where disks exchange names; not in a crash, or removing elsewhere.
//   - An undo that is stopped leaves each name with one version or the other.
//   - Owner, group, ACLs, capabilities and flags come back, or the report says what could
//     not. Directories get their times back, but for those a person changed.
//   - Where times are counted in steps (FAT, exFAT), an edit of the same length within 2 s of the
//     one before may not be seen: after undo looked at the file, and of one kept in parts.
//     Over SMB a changed file is synced when it is closed, for its server sets times late.
//   - On overlayfs a file is copied up before it is recorded ([at.ID]), so that a copy-up looks like no
//     change by a person. Renaming a directory of the lower layer is EXDEV, as for any program.
//   - Closing a journal ends an undo, redo or list at work between two files, and takes 30 s at most.
//   - A folder whose volume gets another number with each mount (WinFsp) is refused after one.
//   - Damage in the middle of the log takes what stood there, up to the next mark.
//   - [Options] bound the bytes on disk and in memory. Without room a change waits for
//     [Options.OnFull], without locks, and is refused after a no.
//
// # Locks, in the order in which they are taken; each may be taken alone
//
//	Recorder.Alone        one undo, redo or list at a time
//	Changer.gate          read by changes; written by what has tasks wait
//	Changer.names         changes of names in a folder, one at a time
//	Object.Keep           while content of a file is kept
//	Recorder.Mu           the tables and appends to the log
//	partial.Image.Mu, ledger.Writing, lastDir.mu, the log's own
//
// # On disk, private to the user (0700) and never seen by the guest
//
//	log            records (internal/ledger) in frames of internal/wal; a long one is rewritten
//	images/O.G     content of object O before its first change, whole or in parts
//	refs/O.G       the inode of object O, which lost a name in the folder
//	undo/          the journal of undos: what undo replaced, moved and removed, for redo; a directory like this one
//	lock           held by the process that has the journal open
//	boot           in which boot of the computer it was open last: in another a power cut took records
//	unfinished     there while an undo or a redo is at work, or was cut off; says if a disk was lost
package journal
