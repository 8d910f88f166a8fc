package job

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
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

// landlockVersion is that of the kernel.
var landlockVersion = landlock.Version

// leastLandlock is the version without which no program is started: in a machine, whose
// kernel is the pack's, all of it; on a computer itself any, since nothing else would keep a
// program from the person's files; 0 where whoever made the place keeps programs in.
func leastLandlock() int {
	switch {
	case programsUser != 0:
		return landlock.Scopes
	case elsewhere:
		return 1
	}
	return 0
}

// devices are those that hold nothing: in /dev/shm are files of others.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// confinement is that of the programs of one scratch directory: its rules are made
// once.
type confinement struct {
	scratch string
	online  bool // it reaches the network
	once    sync.Once
	rules   *landlock.Rules
	err     error
}

// StartOnline starts a program that works on what strangers have on the web. Of files it has
// what confined programs have, with own for a scratch directory, and it reaches the network. It
// is confined as far as the kernel knows how; without Landlock it starts as it is.
func StartOnline(cmd *exec.Cmd, own string) error {
	if landlockVersion() == 0 || cmd.Err != nil {
		return cmd.Start()
	}
	return (&confinement{scratch: own, online: true}).start(cmd)
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
func (c *confinement) rulesFor(program string) (*landlock.Rules, error) {
	if c.online {
		rules, err := systemRules(0)
		if err == nil {
			err = errors.Join(rules.Allow(c.scratch, ownFiles), rules.Allow(program, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_EXECUTE))
		}
		return rules, err
	}
	if filepath.Base(program) == tools.ToolOffice {
		// It cannot be told to have its sockets elsewhere; there it may only make and
		// remove such.
		rules, err := systemRules(network)
		if err == nil {
			err = errors.Join(rules.Allow(c.scratch, ownFiles), rules.Allow("/tmp", unix.LANDLOCK_ACCESS_FS_MAKE_SOCK|unix.LANDLOCK_ACCESS_FS_REMOVE_FILE))
		}
		return rules, err
	}
	c.once.Do(func() {
		select {
		case c.rules = <-readyRules:
		default:
			c.rules, c.err = systemRules(network)
		}
		if c.err == nil {
			c.err = c.rules.Allow(c.scratch, ownFiles)
		}
	})
	return c.rules, c.err
}

// readyRules are those of the system, for the first confinement of a process.
var readyRules = make(chan *landlock.Rules, 1)

// prepareRules makes them.
func prepareRules() error {
	rules, err := systemRules(network)
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

// systemRules let a program use what programs are made of, and nothing else, as far as the
// kernel knows how, nor of the network these rights. They are errors.ErrUnsupported where that
// is too little.
func systemRules(network uint64) (*landlock.Rules, error) {
	version := landlockVersion()
	if version < leastLandlock() {
		return nil, errors.ErrUnsupported
	}
	rules, err := landlock.New(version, landlock.Rights{Files: allFiles, Network: network, Scopes: scopes})
	if err != nil {
		return nil, err
	}
	for _, dir := range systemDirs {
		if err := rules.Allow(dir, readFiles); err != nil && !errors.Is(err, unix.ENOENT) {
			return nil, errors.Join(err, rules.Close())
		}
	}
	for _, device := range devices {
		if err := rules.Allow(device, useFiles); err != nil {
			return nil, errors.Join(err, rules.Close())
		}
	}
	return rules, nil
}

// restrict confines the calling thread.
func restrict(rules *landlock.Rules) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return rules.Restrict()
}
