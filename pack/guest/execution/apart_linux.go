package execution

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// apartABI is the first version of Landlock that keeps signals apart (Linux 6.12).
const apartABI = 6

const (
	apartScopes = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	apartSize   = unsafe.Offsetof(unix.LandlockRulesetAttr{}.Quiet_access_fs) // what version 6 has
)

// standApart separates the calling thread from other processes of the same user by Landlock
// (landlock(7)): the thread, the program that it execs and all that they start can neither
// signal nor trace processes outside, nor read their memory, nor connect to their abstract
// sockets. So a command that the AI runs cannot reach the AI program beside it. Landlock
// restricts no files here. It needs no_new_privs.
//
// Landlock leaves three ways to other processes. The system call filter refuses to change
// their resource limits; [ownIPC] hides their shared memory and queues. Their priorities
// and processors can still be changed: those calls take threads and processes alike, so
// the filter could not tell a program's own threads.
//
// Why not a user for each program: every program must be able to change what an earlier
// one made in /folders, /work and /tmp.
func standApart() error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version < apartABI {
		return errors.ErrUnsupported
	}
	attr := unix.LandlockRulesetAttr{Scoped: apartScopes}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), apartSize, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
