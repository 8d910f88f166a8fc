// Package copied is the front end of a share for places that can mount nothing: they have
// copies of the folders, and what changes in a copy is made in its folder afterwards.
//
// # Parties
//
// A [Copy] stands between one share.Set and one place. Its maker gives it a [Run], which
// runs a part of the agent's program there (vmhost/wire/copy.go, pack/guest/copied), and
// calls it around every action:
//
//	Begin   what the folders have that the copies have not → put
//	action
//	End     list → what changed → get → the share
//
// What is agreed on is remembered of both sides for each name: of the folder size, time and
// mode, of the copy its inode and its change time, too, and of contents the SHA-256. What
// has changed on either side is what differs from that.
//
// # Promises
//
//   - All changes of a folder go through share.Tree, as those of a mounted one do: the
//     journal, the guard and a review see them, and read-only folders are never changed.
//   - What a person changed since the copy was made is not overwritten: a file of the task
//     is put beside it ("report (new).txt"), and what the task removed or renamed stays.
//   - A file of a folder is not touched before the new content is here, whole and of the
//     sum that was said.
//   - A file that is written over stays the same file, with its other names and its
//     attributes. When the disk has no room for what makes it longer, it has its old content.
//   - What could not be made in a folder is an *vmhost.UnsavedError with all the names;
//     the copy gets the folder's state back. A file whose writing failed halfway does not
//     go to the copy: the copy keeps the whole one, and it is written again at the next End.
//   - A folder that is larger than [Options] allow is refused before anything is sent, and
//     so is what comes back, by the sizes in the list, before anything is changed
//     (*vmhost.TooLargeError).
//   - A file that can't be read, or is being written, is left for the next End, and so is one that
//     grew since the list when all contents of an End pass Options.Bytes with it. At the last, which
//     is Fetch, such files are named in an *vmhost.UnsavedError. More than Options.Bytes of
//     what has no room ends the End as too large, and what it changed by then stays.
//   - What programs make in a copy between the list of an End and what is sent then stays
//     there, and is in the folder at the next End, or named.
//   - What a place says is bounded and checked ([wire.InvalidError]): single names, each
//     below a directory that was listed, no kinds but files, directories and links. Links
//     are data, and never followed on this side.
//
// # What is not the same as in a mounted folder
//
// Changes are seen on the other side between actions, not at once. Two names of one file
// are two files in a copy. There are no extended attributes, owners or access times.
// Programs may change their copy of a read-only folder by first taking off its write
// protection; nobody else ever sees that. Holes of files are filled.
package copied
