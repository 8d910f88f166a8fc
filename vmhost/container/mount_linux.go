package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"piwork/pack/durable"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fileSystem is the type of mounts of folders.
const fileSystem = "fuse.piwork"

// maxRead is how much one request of the kernel may read, in bytes.
const maxRead = 1 << 20

// fusermount mounts for people who are not root.
const fusermount = "fusermount3"

// mountTime is how long a mount may take.
const mountTime = 10 * time.Second

// mountFolders mounts what is to be served on a directory, and returns the device. others
// says that not only this user gets at it; it is in a directory that nobody else enters.
func mountFolders(ctx context.Context, dir string, others bool) (*os.File, error) {
	if os.Geteuid() != 0 {
		return mountByHelper(ctx, dir, others)
	}
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/fuse: %w", err)
	}
	device := os.NewFile(uintptr(fd), "/dev/fuse")
	options := fmt.Sprintf("fd=%d,rootmode=%o,user_id=0,group_id=0,max_read=%d", fd, unix.S_IFDIR, maxRead)
	if others {
		options += ",allow_other"
	}
	if err := unix.Mount("piwork", dir, fileSystem, unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil, errors.Join(fmt.Errorf("mount: %w", err), device.Close())
	}
	return device, nil
}

// helperOptions are those of fusermount3.
func helperOptions(others bool) string {
	options := fmt.Sprintf("fsname=piwork,subtype=piwork,nosuid,nodev,max_read=%d", maxRead)
	if others {
		options += ",allow_other"
	}
	return options
}

// mountByHelper has fusermount3 mount, which sends the device over a socket.
func mountByHelper(ctx context.Context, dir string, others bool) (*os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "here"), os.NewFile(uintptr(fds[1]), "there")
	defer ours.Close()
	defer theirs.Close()
	ctx, cancel := context.WithTimeout(ctx, mountTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, fusermount, "-o", helperOptions(others), "--", dir)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "_FUSE_COMMFD=3"}
	cmd.ExtraFiles = []*os.File{theirs}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", fusermount, err, strings.TrimSpace(string(out)))
	}
	theirs.Close()
	text, rights := make([]byte, 16), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(ours.Fd()), text, rights, unix.MSG_CMSG_CLOEXEC|unix.MSG_DONTWAIT)
	if err != nil {
		return nil, os.NewSyscallError("recvmsg", err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err == nil && len(messages) == 1 {
		var all []int
		if all, err = unix.ParseUnixRights(&messages[0]); err == nil && len(all) == 1 {
			return os.NewFile(uintptr(all[0]), "/dev/fuse"), nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s sent no device", fusermount), err)
}

// unmount takes a mount away. With force, whoever still uses it gets errors.
func unmount(dir string, force bool) error {
	if os.Geteuid() == 0 {
		flags := unix.MNT_DETACH | unix.UMOUNT_NOFOLLOW
		if force {
			flags |= unix.MNT_FORCE
		}
		return os.NewSyscallError("umount2", unix.Unmount(dir, flags))
	}
	ctx, cancel := context.WithTimeout(context.Background(), mountTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, fusermount, "-u", "-z", "--", dir)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", fusermount, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// mounted are the mounts of folders below a directory, as /proc/self/mountinfo says.
func mounted(mountinfo, dir string) (all []string) {
	for _, m := range durable.MountsIn(mountinfo, dir) {
		if m.Type == fileSystem && m.At != dir {
			all = append(all, m.At)
		}
	}
	return all
}
