package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// MountCache mounts the disk with a project's cache at wire.CacheDir and gives it to the
// programs of the task. Programs of earlier tasks wrote what is on it, and a task may have
// taken over its kernel: nothing on it makes a program another user's or is a device
// (nosuid, nodev), what is wrong with its file system makes it read-only and nothing more,
// and this process, which is root, follows no name on it and starts nothing from it.
func MountCache(ctx context.Context, p wire.CacheParams) error {
	device, err := awaitSerial(ctx, p.Disk)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(wire.CacheDir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(device, wire.CacheDir, "ext4", unix.MS_NOATIME|unix.MS_NODEV|unix.MS_NOSUID, "discard,errors=remount-ro"); err != nil {
		return fmt.Errorf("mount the cache %s: %w", device, err)
	}
	if err := ownCache(filepath.Base(device), p.LimitMB); err != nil {
		return errors.Join(err, unix.Unmount(wire.CacheDir, unix.MNT_DETACH))
	}
	return nil
}

// ownCache gives the mounted cache to programs, and bounds it.
func ownCache(disk string, limitMB int64) error {
	_ = unix.Rmdir(wire.CacheDir + "/lost+found") // of its maker; no program could use it
	if err := os.Lchown(wire.CacheDir, UserID, GroupID); err != nil {
		return err
	}
	if err := os.Chmod(wire.CacheDir, 0o755); err != nil {
		return err
	}
	var s unix.Statfs_t
	if err := unix.Statfs(wire.CacheDir, &s); err != nil {
		return err
	}
	reserved := reservedBlocks(int64(s.Blocks), s.Bsize, limitMB)
	if reserved == 0 {
		return nil
	}
	// Blocks that nobody may have, whoever they are: ext4's own way of keeping some.
	err := os.WriteFile("/sys/fs/ext4/"+disk+"/reserved_clusters", strconv.AppendInt(nil, reserved, 10), 0)
	if err != nil {
		return fmt.Errorf("bound the cache: %w", err)
	}
	return nil
}

// reservedBlocks is how many blocks of a file system are kept from programs, which may
// have limitMB of it.
func reservedBlocks(blocks, size, limitMB int64) int64 {
	if size <= 0 {
		return 0
	}
	return max(0, blocks-limitMB<<20/size)
}

// UnmountCache unmounts the cache before the end, unless something still has it; what was
// written is on the disk either way.
func UnmountCache() error {
	err := unix.Unmount(wire.CacheDir, 0)
	if err == nil || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) { // there is none
		return nil
	}
	return fmt.Errorf("unmount the cache: %w", errors.Join(err, unix.Unmount(wire.CacheDir, unix.MNT_DETACH)))
}
