package landlock

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Kernel is the version of the kernel's Landlock, 0 for none.
func Kernel() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// Rights are what a ruleset takes from a thread, unless it is allowed.
type Rights struct{ Files, Network, Scopes uint64 }

// of are those that a version knows.
func (r Rights) of(version int) Rights {
	if version < Moves {
		r.Files &^= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version < Truncates {
		r.Files &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version < 4 {
		r.Network = 0
	}
	if version < 5 {
		r.Files &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version < Scopes {
		r.Scopes = 0
	}
	return r
}

// Rules are a ruleset; nil restricts nothing.
type Rules struct {
	file  *os.File
	files uint64
}

// New makes rules that take those of the rights that a version knows; nil of version 0. The
// descriptor is closed in programs.
func New(version int, r Rights) (*Rules, error) {
	if version == 0 {
		return nil, nil
	}
	r = r.of(version)
	attr := unix.LandlockRulesetAttr{Handled_access_fs: r.Files, Handled_access_net: r.Network, Scoped: r.Scopes}
	size := unsafe.Offsetof(attr.Quiet_access_fs) // an older kernel takes more than it knows where that is 0
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return &Rules{os.NewFile(fd, "rules"), r.Files}, nil
}

// Close closes rules; what they restrict stays restricted.
func (r *Rules) Close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}

// fileRights are those that a rule about a single file can have.
const fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
	unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

// Allow gives rights back for what is below a directory, or for a single file.
func (r *Rules) Allow(path string, files uint64) error {
	if r == nil {
		return nil
	}
	at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if err := unix.Fstat(at, &st); err != nil {
		return err
	}
	if files &= r.files; st.Mode&unix.S_IFMT != unix.S_IFDIR {
		files &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: files, Parent_fd: int32(at)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, r.file.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	runtime.KeepAlive(r)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// Restrict restricts the calling thread for good, which has no_new_privs.
func (r *Rules) Restrict() error {
	if r == nil {
		return nil
	}
	_, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, r.file.Fd(), 0, 0)
	runtime.KeepAlive(r)
	if errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
