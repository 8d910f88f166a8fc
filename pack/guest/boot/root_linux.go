package boot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// The user whose programs run in the guest; the root image has it by name.
const (
	UserID  = 1000
	GroupID = 1000
)

// deviceStall is how long a disk named on the command line may take to appear
// after everything that drives it is loaded. It only tells a missing device
// from a slow machine: emulation needs well under a second.
const deviceStall = time.Minute

// Where things are before the process moves into the merged root.
const (
	lowerDir  = "/.lower"
	upperDisk = "/.disk"
	mergedDir = "/.merged"
)

// Root loads the rest of the modules, mounts the root image and the task's
// disk, merges them, and moves this process into the result: afterwards / is
// the root that programs see. In a proof boot it only loads the modules.
func Root(ctx context.Context, log *Log, opts Options, modules []string) error {
	load(log, ModulesDir, modules)
	if err := os.RemoveAll(ModulesDir); err != nil { // they would stay in memory
		log.Fail("modules", err)
	}
	log.Mark("lateModules")
	if opts.Root == "" {
		return nil
	}
	if err := mountLower(ctx, opts.Root); err != nil {
		return err
	}
	log.Mark("rootImage")
	if err := mountUpper(ctx, opts.Work); err != nil {
		return err
	}
	log.Mark("workDisk")
	if err := merge(); err != nil {
		return err
	}
	if err := enter(); err != nil {
		return err
	}
	log.Mark("root")
	return nil
}

// mountLower mounts the read-only image whatever its file system is.
func mountLower(ctx context.Context, device string) error {
	if err := awaitDevice(ctx, device); err != nil {
		return err
	}
	kind, err := rootKind(device)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(lowerDir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(device, lowerDir, kind, unix.MS_RDONLY|unix.MS_NOATIME, ""); err != nil {
		return fmt.Errorf("mount root image %s as %s: %w", device, kind, err)
	}
	return nil
}

// mountUpper mounts what takes the changes: the task's disk, or memory when
// there is none.
func mountUpper(ctx context.Context, device string) error {
	if err := os.MkdirAll(upperDisk, 0o755); err != nil {
		return err
	}
	kind, data := "ext4", ""
	if device == "" {
		device, kind, data = "tmpfs", "tmpfs", "mode=0755,size=50%"
	} else if err := awaitDevice(ctx, device); err != nil {
		return err
	}
	if err := unix.Mount(device, upperDisk, kind, unix.MS_NOATIME|unix.MS_NODEV, data); err != nil {
		return fmt.Errorf("mount work disk %s as %s: %w", device, kind, err)
	}
	for _, d := range []string{"upper", "overlay", "work"} {
		if err := os.Mkdir(filepath.Join(upperDisk, d), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// merge makes the root that programs see.
func merge() error {
	if err := os.MkdirAll(mergedDir, 0o755); err != nil {
		return err
	}
	data := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/overlay", lowerDir, upperDisk, upperDisk)
	if err := unix.Mount("overlay", mergedDir, "overlay", unix.MS_NOATIME|unix.MS_NODEV, data); err != nil {
		return fmt.Errorf("mount overlay: %w", err)
	}
	for _, d := range []string{"/proc", "/sys", "/dev", "/run", wire.FoldersDir, wire.StateDir, wire.WorkDir} {
		if err := os.MkdirAll(mergedDir+d, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(filepath.Join(upperDisk, "work"), mergedDir+wire.WorkDir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", wire.WorkDir, err)
	}
	out := mergedDir + wire.OutDir
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, d := range []string{mergedDir + wire.WorkDir, out} {
		if err := os.Lchown(d, UserID, GroupID); err != nil {
			return err
		}
	}
	// Large and long-lived files belong on the disk, not in memory.
	if err := os.MkdirAll(mergedDir+"/tmp", 0o777); err != nil {
		return err
	}
	return os.Chmod(mergedDir+"/tmp", 0o777|fs.ModeSticky)
}

// enter moves the kernel's file systems along and makes the merged root the
// root of this process, as switch_root(8) does: pivot_root(2) refuses an
// initramfs.
func enter() error {
	for _, d := range []string{"/proc", "/sys", "/dev", "/run"} {
		if err := unix.Mount(d, mergedDir+d, "", unix.MS_MOVE, ""); err != nil {
			return fmt.Errorf("move %s: %w", d, err)
		}
	}
	if err := unix.Chdir(mergedDir); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("move root: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return fmt.Errorf("chroot: %w", err)
	}
	return unix.Chdir("/")
}

func awaitDevice(ctx context.Context, device string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, deviceStall, errors.New("the device did not appear"))
	defer cancel()
	return Await(ctx, device, func() bool {
		_, err := os.Stat(device)
		return err == nil
	})
}

// Magic numbers of root images and where they stand.
const (
	squashfsMagic = 0x73717368 // "hsqs", Documentation/filesystems/squashfs.rst
	erofsMagic    = 0xE0F5E1E2 // fs/erofs/erofs_fs.h, EROFS_SUPER_MAGIC_V1
	erofsOffset   = 1024
)

// rootKind tells by magic which read-only file system an image is.
func rootKind(image string) (string, error) {
	f, err := os.Open(image)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, erofsOffset+4)
	if _, err := io.ReadFull(f, head); err != nil {
		return "", fmt.Errorf("root image %s: %w", image, err)
	}
	switch {
	case binary.LittleEndian.Uint32(head) == squashfsMagic:
		return "squashfs", nil
	case binary.LittleEndian.Uint32(head[erofsOffset:]) == erofsMagic:
		return "erofs", nil
	}
	return "", fmt.Errorf("root image %s is neither squashfs nor erofs", image)
}
