// Package landlock restricts what a thread, and all that it starts, may do (landlock(7)),
// as far as the kernel knows how: each version of Landlock knows more.
//
//	5.13  1  changes of files, but none is moved from one directory to another (EXDEV)
//	5.19  2  changes of files, moves as well
//	6.2   3  truncate(2), and opening to truncate without the right to write
//	6.7   4  connections of TCP
//	6.10  5  ioctl(2) of devices
//	6.12  6  signals and abstract sockets
//
// It is not landlock-lsm/go-landlock (v0.11.0): that one restricts every thread of a process,
// by way of psx.
package landlock

// Versions that somebody depends on.
const (
	Moves     = 2 // the first whose rules allow moves between directories
	Truncates = 3 // the first that restricts every way to cut a file
	Scopes    = 6 // the first that keeps signals apart
)

// Version is that of the kernel's Landlock, where files can be moved, and else 0.
func Version() int { return Moving(Kernel()) }

// Moving is a version, or 0 for one that forbids moves.
func Moving(version int) int {
	if version < Moves {
		return 0
	}
	return version
}
