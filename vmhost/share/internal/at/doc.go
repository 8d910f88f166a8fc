// Package at does file operations on a name in an open directory.
//
// # Parties
//
// A [Root] is a folder that a person shared. A [Dir] is one directory in it,
// held by handle. The share and its journal do everything through these two,
// so that what was looked at, what was written down and what is changed are
// the same directory, whoever renames its parents meanwhile.
//
// # Promises
//
//   - Nothing outside of the Root is reached: a Dir is found by handle, one
//     component after the other, and its methods take single names (see
//     [CheckName]).
//   - No method follows a symbolic link, neither in the last component nor on the
//     way: a path is one openat2(2) (RESOLVE_NO_SYMLINKS) where Linux has it, and
//     otherwise one directory opened after the other, none of them a link.
//   - No method blocks on a FIFO or wakes a device: only regular files and
//     directories are opened ([ErrSpecial]).
//
// Everything may be used from several goroutines.
package at
