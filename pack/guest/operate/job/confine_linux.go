package job

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"piwork/pack/tools"
)

// What programs may do (landlock(7)). They work on content that others made: a
// document that takes over the program that reads it finds its copy and the
// system, not the folders of the person, and no way out.
const (
	readFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	useFiles  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	ownFiles  = readFiles | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	allFiles = ownFiles | useFiles | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	network  = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopes   = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// landlockABI is the first version that has all of these (Linux 6.12).
const landlockABI = 6

// devices are those that hold nothing: in /dev/shm are files of others.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// confinement is that of the programs of one scratch directory: its rules are made
// once.
type confinement struct {
	scratch string
	once    sync.Once
	rules   *os.File
	err     error
}

// start starts a program that is confined for good. Rules belong to a thread and
// what it starts: this one ends with the goroutine.
func (c *confinement) start(cmd *exec.Cmd) error {
	rules, err := c.rulesFor(cmd.Path)
	if err != nil {
		return fmt.Errorf("confine the program: %w", err)
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: nobody else is to get this thread
		if err := restrict(rules); err != nil {
			done <- fmt.Errorf("confine the program: %w", err)
			return
		}
		startAsPrograms(cmd)
		done <- cmd.Start()
	}()
	return <-done
}

// rulesFor are the rules for a program.
func (c *confinement) rulesFor(program string) (*os.File, error) {
	if filepath.Base(program) == tools.ToolOffice {
		// It cannot be told to have its sockets elsewhere; there it may only make and
		// remove such.
		rules, err := systemRules()
		if err == nil {
			err = errors.Join(allow(rules, c.scratch, ownFiles), allow(rules, "/tmp", unix.LANDLOCK_ACCESS_FS_MAKE_SOCK|unix.LANDLOCK_ACCESS_FS_REMOVE_FILE))
		}
		return rules, err
	}
	c.once.Do(func() {
		select {
		case c.rules = <-readyRules:
		default:
			c.rules, c.err = systemRules()
		}
		if c.err == nil {
			c.err = allow(c.rules, c.scratch, ownFiles)
		}
	})
	return c.rules, c.err
}

// readyRules are those of the system, for the first confinement of a process.
var readyRules = make(chan *os.File, 1)

// prepareRules makes them.
func prepareRules() error {
	rules, err := systemRules()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // who starts a program hears of it
	}
	if err == nil {
		select {
		case readyRules <- rules:
		default:
			err = rules.Close()
		}
	}
	return err
}

// systemRules let a program use what programs are made of, and nothing else. It
// returns errors.ErrUnsupported where the kernel cannot.
func systemRules() (*os.File, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version < landlockABI {
		return nil, errors.ErrUnsupported
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: allFiles, Handled_access_net: network, Scoped: scopes}
	size := unsafe.Offsetof(attr.Quiet_access_fs) // what version 6 has
	// The descriptor is closed in programs.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	rules := os.NewFile(fd, "rules")
	for _, dir := range systemDirs {
		if err := allow(rules, dir, readFiles); err != nil && !errors.Is(err, unix.ENOENT) {
			return nil, errors.Join(err, rules.Close())
		}
	}
	for _, device := range devices {
		if err := allow(rules, device, useFiles); err != nil {
			return nil, errors.Join(err, rules.Close())
		}
	}
	return rules, nil
}

// restrict confines the calling thread.
func restrict(rules *os.File) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules.Fd(), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	runtime.KeepAlive(rules)
	return nil
}

// allow lets what is beneath a directory be used.
func allow(rules *os.File, dir string, access uint64) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}
