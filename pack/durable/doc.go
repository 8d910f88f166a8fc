// Package durable replaces whole files for every room, so that a kill or a power
// cut at any moment leaves a reader with the old or the new content: [WriteFile]
// stages beside the file, syncs, renames and syncs the directory. [ReplaceFile] does not sync.
//
// [WriteNew] and [MoveNew] are for a file that must not replace any.
//
// A reader that uses [ReadFile] never keeps a writer from replacing the file,
// also on Windows, where a file that is open cannot usually be replaced.
//
// [RenameDir] waits for who has a file of the directory open, also on Windows.
//
// [RemoveAll] removes what programs took rights from.
//
// [IsFull] knows the errors of a disk that is full.
//
// A kill can leave a staging file, named "." + the file's name + digits.
//
// renameio does this on Unix. It has no Windows, hence file_windows.go.
package durable
