package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/execution"
)

// optionGroup is before the name of the cgroup in which somebody puts this process.
const optionGroup = "--group"

// groupTime is how long that may take.
const groupTime = 5 * time.Second

// mountSocketFD is where the one who starts "piwork-guest mounted" has the other end of a
// Unix socket: what was opened comes out of it, with an empty text, or the text of an error.
const mountSocketFD = 3

// maxFUSERead is how much one request of the kernel may read, in bytes.
const maxFUSERead = 1 << 20

// runMounted mounts a file system that somebody else serves (FUSE) on a directory, and then
// becomes a program: args are the directory, and the program with its arguments. It is
// started in a user namespace and a mount namespace of its own, in which it may mount. So
// the mount is seen by that program and what it starts, and goes with the last of them.
//
// With [optionGroup] it waits first until it is in that cgroup, which is delegated to it, and
// divides it. Arguments of the program that are the cgroup's name become the directory of the
// part that is for programs. Without a directory, "", nothing is mounted then.
func runMounted(args []string) int {
	group := ""
	if len(args) > 4 && args[0] == optionGroup {
		group, args = args[1], args[2:]
	}
	if args[0] != "" && !mountThere(args[0]) {
		return 1
	}
	var err error
	if group != "" {
		err = enterGroup(group, args)
	}
	if err == nil {
		err = fmt.Errorf("%s: %w", args[1], unix.Exec(args[1], args[1:], os.Environ()))
	}
	fmt.Fprintf(os.Stderr, "piwork-guest: fatal: %v\n", err)
	return 1
}

// enterGroup waits until this process is in the cgroup, and names its part for programs to a
// program.
func enterGroup(group string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	dir, err := execution.AwaitGroup(ctx, execution.GroupsDir, "/proc/self/cgroup", group)
	if err == nil {
		dir, err = execution.DivideGroup(dir)
	}
	for i := range args {
		if args[i] == group {
			args[i] = dir
		}
	}
	return err
}

// mountThere mounts, and tells whoever started this process.
func mountThere(dir string) bool {
	device, err := mountFUSE(dir)
	text := ""
	if err != nil {
		text = err.Error()
	}
	var rights []byte
	if err == nil {
		rights = unix.UnixRights(device)
	}
	if serr := unix.Sendmsg(mountSocketFD, []byte(text+"\n"), rights, nil, 0); serr != nil || err != nil {
		return false
	}
	_ = unix.Close(mountSocketFD)
	_ = unix.Close(device)
	return true
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
