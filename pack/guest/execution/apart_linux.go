package execution

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// apartABI is the first version of Landlock that keeps signals apart (Linux 6.12).
const apartABI = 6

// standApart has the calling thread, and what it becomes and starts, reach no process
// but itself and what it starts (landlock(7)): it can neither signal, trace nor look into
// others of its user, nor connect to their abstract sockets. So a command reaches nothing
// of the AI program beside it. Files are none of its business. It needs no_new_privs.
//
// What Landlock has no word in: limits of others are refused by the filter of calls,
// memory and queues found by a key are those of [ownIPC]. How fast others of its user
// run (priorities, processors) is left: threads are named there as processes are.
//
// Why not a user for each: what programs make in /folders, /work and /tmp is for the next
// one to change, whoever that is.
func standApart() error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version < apartABI {
		return errors.ErrUnsupported
	}
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	size := unsafe.Offsetof(attr.Quiet_access_fs) // what version 6 has
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
