package execution

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// changeFiles are the rights of Landlock that change files, of its first version; later
// versions have more.
const changeFiles = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM

// changeOnly has the calling thread, and all that it starts, change files only below these
// directories (landlock(7)); those that are missing give no rights. It also keeps them from
// tracing processes that are not so bound, such as the agent. A kernel without Landlock
// leaves that to whoever made the place. With apart they [standApart] as well, where the
// kernel knows how. With runnable they start only those programs, and what is below such a
// directory or one of the first. It needs no_new_privs.
func changeOnly(directories, runnable []string, apart bool) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: changeFiles}
	size := unsafe.Sizeof(attr.Handled_access_fs) // what version 1 has
	if version >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if len(runnable) > 0 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	if apart && version >= apartABI {
		attr.Scoped, size = apartScopes, apartSize
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	for _, dir := range directories {
		if err := allowBelow(int(fd), dir, attr.Handled_access_fs); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("changes below %s: %w", dir, err)
		}
	}
	for _, program := range runnable {
		if err := allowBelow(int(fd), program, unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("programs at %s: %w", program, err)
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// fileRights are those that a rule about a single file can have.
const fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// allowBelow adds a rule to a ruleset, about a directory or a single file.
func allowBelow(ruleset int, dir string, access uint64) error {
	at, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if err := unix.Fstat(at, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(at)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}
