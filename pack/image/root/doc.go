// Package root turns what a Debian bootstrap leaves behind into the guest's
// root file system: a stream of bytes that depends on the packages alone, ready
// for a file system writer.
//
// It works on tar archives and never on a tree, so that it needs no privileges
// and owners, modes and times are what it says, not what the machine allows.
//
// # What it does
//
//   - drops what is only of use while installing, what differs between machines
//     and runs, and documentation except copyright files ([Drop]);
//   - takes set-uid and set-gid bits and file capabilities away: programs in
//     the guest cannot gain privileges, so nothing may look as if they could;
//   - makes no time newer than the one given, sorts, and names the first of hard
//     links as the file;
//   - adds the user that programs run as, its directories, and the files of an
//     overlay, which replace what was there.
package root
