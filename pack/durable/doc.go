// Package durable replaces whole files for every room, so that a kill or a power
// cut at any moment leaves a reader with the old or the new content: [WriteFile]
// stages beside the file, syncs, renames and syncs the directory (Windows has no such sync).
// [ReplaceFile] does not sync: after a power cut its file may be empty.
//
// [WriteNew] and [MoveNew] are for a file that must not replace any.
//
// A reader that uses [ReadFile] never keeps a writer from replacing the file,
// also on Windows, where a file that is open cannot usually be replaced.
//
// [RenameDir] waits on Windows, for 30 seconds at most, until nobody has a file of the
// directory open. Elsewhere open files are in nobody's way.
//
// [RemoveAll] removes what programs took rights from.
//
// [IsFull] knows the errors of a disk that is full.
//
// A kill can leave a staging file. For notes.json it is .notes.json123 or .notes.json-123,
// with other digits each time.
//
// renameio does this on Unix. It has no Windows, hence file_windows.go.
package durable
