package folders

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/durable"
)

// fileSystem is the type of mounts of folders.
const fileSystem = "fuse.piwork"

// maxRead is how much one request of the kernel may read, in bytes.
const maxRead = 1 << 20

// fusermount mounts for people who are not root.
const fusermount = "fusermount3"

// mountTime is how long a mount may take.
const mountTime = 10 * time.Second

// live are the mounts of this process, by their paths as in mountinfo.
var live sync.Map

// inMountInfo is the path of a directory as mountinfo has it. The directory itself is not
// looked at: what is mounted on it may be served by nobody.
func inMountInfo(dir string) (string, error) {
	above, err := filepath.EvalSymlinks(filepath.Dir(dir))
	return filepath.Join(above, filepath.Base(dir)), err
}

// Mount mounts what is to be served on a directory, and returns the device. The kernel shows
// it to no other user; where root mounts, others says that it is for others, too. It is in a
// directory that nobody else enters.
func Mount(ctx context.Context, dir string, others bool) (*os.File, error) {
	dir, err := inMountInfo(dir)
	if err != nil {
		return nil, err
	}
	live.Store(dir, true)
	device, err := mount(ctx, dir, others)
	if err != nil {
		live.Delete(dir)
	}
	return device, err
}

func mount(ctx context.Context, dir string, others bool) (*os.File, error) {
	if os.Geteuid() != 0 {
		return mountByHelper(ctx, dir)
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

// mountByHelper has fusermount3 mount, which sends the device over a socket.
func mountByHelper(ctx context.Context, dir string) (*os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "here"), os.NewFile(uintptr(fds[1]), "there")
	defer ours.Close()
	defer theirs.Close()
	ctx, cancel := context.WithTimeout(ctx, mountTime)
	defer cancel()
	options := fmt.Sprintf("fsname=piwork,subtype=piwork,nosuid,nodev,max_read=%d", maxRead)
	cmd := exec.CommandContext(ctx, fusermount, "-o", options, "--", dir)
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

// Unmount takes a mount away. With force, whoever still uses it gets errors.
func Unmount(dir string, force bool) error {
	dir, err := inMountInfo(dir)
	if err != nil {
		return err
	}
	if err := unmount(dir, force); err != nil {
		return err
	}
	live.Delete(dir)
	return nil
}

// Clear takes away the mounts below a directory that a killed process left, and what they
// were mounted on: they are served by nobody.
func Clear(dir string) error {
	dir, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // nothing can be mounted there
	case err != nil:
		return err
	}
	info, err := os.ReadFile(mountInfo)
	if err != nil {
		return err
	}
	for _, at := range mounted(string(info), dir) {
		if _, is := live.Load(at); is {
			continue
		}
		if err := unmount(at, true); err != nil {
			return fmt.Errorf("folders of a task that is no more: %w", err)
		}
		Unspread(at)
		_ = os.Remove(at)
		_ = os.Remove(filepath.Dir(at)) // unless there is more in it
	}
	return nil
}

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

// Spread has what is mounted on a directory reach places that have the directory already.
// Under systemd it does; elsewhere root can have it so.
func Spread(dir string) error {
	info, err := os.ReadFile(mountInfo)
	switch {
	case err != nil:
		return err
	case spreads(string(info), dir):
		return nil
	case os.Geteuid() != 0:
		return errors.New("what is mounted on this system reaches nothing else (mount --make-rshared /)")
	}
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return os.NewSyscallError("mount", unix.Mount("", dir, "", unix.MS_SHARED, ""))
}

// Unspread takes back what Spread did.
func Unspread(dir string) {
	if os.Geteuid() == 0 {
		_ = unix.Unmount(dir, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) // it may have done nothing
	}
}

// mountInfo is what is mounted here (proc_pid_mountinfo(5)).
const mountInfo = "/proc/self/mountinfo"

// spreads tells whether the mount that has a directory is shared.
func spreads(mountinfo, dir string) bool {
	var in durable.Mount
	for _, m := range durable.MountsIn(mountinfo, "/") {
		if len(m.At) >= len(in.At) && (m.At == dir || strings.HasPrefix(dir, strings.TrimSuffix(m.At, "/")+"/")) {
			in = m
		}
	}
	return in.Shared
}

// Is tells whether a process has at a path of its own the folders that are mounted at at.
func Is(at string, pid int, path string) (bool, error) {
	here, err := os.ReadFile(mountInfo)
	there, terr := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", pid))
	if err := errors.Join(err, terr); err != nil {
		return false, err
	}
	d := device(string(here), at)
	return d != "" && d == device(string(there), path), nil
}

// device is the number of the file system of folders that is mounted at a path; "" for none.
func device(mountinfo, at string) string {
	for _, m := range slices.Backward(durable.MountsIn(mountinfo, at)) {
		if m.At == at {
			if m.Type != fileSystem {
				return ""
			}
			return m.Device
		}
	}
	return ""
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
