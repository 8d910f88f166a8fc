package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mountSocketFD is where the one who starts "piwork-guest mounted" has the other end of a
// Unix socket: what was opened comes out of it, with an empty text, or the text of an error.
const mountSocketFD = 3

// maxFUSERead is how much one request of the kernel may read, in bytes.
const maxFUSERead = 1 << 20

// runMounted mounts a file system that somebody else serves (FUSE) on a directory, and then
// becomes a program: args are the directory, and the program with its arguments. It is
// started in a user namespace and a mount namespace of its own, in which it may mount. So
// the mount is seen by that program and what it starts, and goes with the last of them.
func runMounted(args []string) int {
	device, err := mountFUSE(args[0])
	text := ""
	if err != nil {
		text = err.Error()
	}
	var rights []byte
	if err == nil {
		rights = unix.UnixRights(device)
	}
	if serr := unix.Sendmsg(mountSocketFD, []byte(text+"\n"), rights, nil, 0); serr != nil || err != nil {
		return 1
	}
	_ = unix.Close(mountSocketFD)
	_ = unix.Close(device)
	err = unix.Exec(args[1], args[1:], os.Environ())
	fmt.Fprintf(os.Stderr, "piwork-guest: %s: %v\n", args[1], err)
	return 1
}

// mountFUSE opens the device in the namespace in which it mounts: the kernel asks for that.
func mountFUSE(dir string) (int, error) {
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open /dev/fuse: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return 0, fmt.Errorf("make mounts private: %w", err)
	}
	options := []string{fmt.Sprintf("fd=%d", device), fmt.Sprintf("rootmode=%o", unix.S_IFDIR), "user_id=0", "group_id=0", fmt.Sprintf("max_read=%d", maxFUSERead)}
	if err := unix.Mount("piwork", dir, "fuse.piwork", unix.MS_NOSUID|unix.MS_NODEV, strings.Join(options, ",")); err != nil {
		return 0, fmt.Errorf("mount: %w", err)
	}
	return device, nil
}
