package operate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"piwork/pack/tools"
)

// What programs may do (landlock(7)). They work on content that others made: a
// document that takes over the program that reads it finds its copy and the
// system, not the folders of the person, and no way out.
const (
	readFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	useFiles  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	ownFiles = readFiles | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	allFiles = ownFiles | useFiles | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	network  = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopes   = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// landlockABI is the first version that has all of these (Linux 6.12).
const landlockABI = 6

// systemDirs are what programs are made of.
var systemDirs = []string{"/usr", "/bin", "/lib", "/lib64", "/etc", "/var", "/opt", "/proc", "/sys"}

// startConfined starts a program that is confined for good. Rules belong to a
// thread and what it starts: this one ends with the goroutine.
func startConfined(cmd *exec.Cmd, scratch string) error {
	var sockets []string
	if filepath.Base(cmd.Path) == tools.ToolOffice {
		sockets = []string{"/tmp"} // it cannot be told to have its own elsewhere
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: nobody else is to get this thread
		if err := confine(scratch, sockets); err != nil {
			done <- fmt.Errorf("confine the program: %w", err)
			return
		}
		done <- cmd.Start()
	}()
	return <-done
}

// confine restricts the calling thread; in the directories of sockets it may
// only make and remove such. It returns errors.ErrUnsupported where the kernel
// cannot.
func confine(scratch string, sockets []string) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version < landlockABI {
		return errors.ErrUnsupported
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: allFiles, Handled_access_net: network, Scoped: scopes}
	size := unsafe.Offsetof(attr.Quiet_access_fs) // what version 6 has
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	rules := int(fd)
	defer unix.Close(rules)
	for _, dir := range systemDirs {
		if err := allow(rules, dir, readFiles); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	for _, dir := range sockets {
		if err := allow(rules, dir, unix.LANDLOCK_ACCESS_FS_MAKE_SOCK|unix.LANDLOCK_ACCESS_FS_REMOVE_FILE); err != nil {
			return err
		}
	}
	if err := errors.Join(allow(rules, "/dev", useFiles), allow(rules, scratch, ownFiles)); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// allow lets what is beneath a directory be used.
func allow(rules int, dir string, access uint64) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}
