package boot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/verity"
	"piwork/vmhost/wire"
)

// The user whose programs run in the guest; the root image has it by name.
const (
	UserID  = 1000
	GroupID = 1000
)

// deviceStall is how long a disk may take to appear. It only tells a missing
// device from a slow machine: emulation needs well under a second.
const deviceStall = time.Minute

// Where things are before the process moves into the merged root.
const (
	lowerDir  = "/.lower" // has a directory for each image
	baseName  = "base"
	upperDisk = "/.disk"
	mergedDir = "/.merged"
)

// OpenBase mounts the root image; in a proof boot there is none.
func OpenBase(ctx context.Context, log *Log, opts Options) error {
	if opts.Root == "" {
		return nil
	}
	if err := awaitDevice(ctx, opts.Root); err != nil {
		return err
	}
	if err := mountImage(baseName, opts.Root, opts.Verity); err != nil {
		return err
	}
	log.Mark("rootImage")
	return nil
}

// Assemble mounts the task's disk and the layers, merges them with the base,
// the last layer on top, and moves this process into the result: afterwards /
// is the root that programs see. It can be called once.
func Assemble(ctx context.Context, log *Log, opts Options, layers []wire.Layer) error {
	lower := []string{filepath.Join(lowerDir, baseName)}
	for _, l := range layers {
		if l.Name == baseName {
			return fmt.Errorf("a layer is named %q, as the root image is", l.Name)
		}
		disk, err := awaitSerial(ctx, l.Disk)
		if err != nil {
			return fmt.Errorf("layer %s: %w", l.Name, err)
		}
		var v *verity.Params
		if l.RootHash != "" {
			v = &verity.Params{RootHash: l.RootHash, Salt: l.Salt, DataBlocks: l.DataBlocks}
		}
		if err := mountImage(l.Name, disk, v); err != nil {
			return fmt.Errorf("layer %s: %w", l.Name, err)
		}
		lower = append([]string{filepath.Join(lowerDir, l.Name)}, lower...)
	}
	log.Mark("layers")
	if err := mountUpper(ctx, opts.Work); err != nil {
		return err
	}
	log.Mark("workDisk")
	if err := merge(lower); err != nil {
		return err
	}
	if err := enter(); err != nil {
		return err
	}
	log.Mark("root")
	return nil
}

// imageKind is the file system of every read-only image.
const imageKind = "erofs"

// mountImage mounts a read-only image, through dm-verity when v says what it
// must be.
func mountImage(name, device string, v *verity.Params) error {
	if v != nil {
		checked, err := verity.Open(name, device, *v)
		if err != nil {
			return err
		}
		device = checked
	}
	dir := filepath.Join(lowerDir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(device, dir, imageKind, unix.MS_RDONLY|unix.MS_NOATIME|unix.MS_NODEV, ""); err != nil {
		return fmt.Errorf("mount image %s as %s: %w", device, imageKind, err)
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

// merge makes the root that programs see, of images from the top down.
func merge(lower []string) error {
	if err := os.MkdirAll(mergedDir, 0o755); err != nil {
		return err
	}
	data := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/overlay", strings.Join(lower, ":"), upperDisk, upperDisk)
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

// serialDisks are where disks say their serial numbers, below /sys.
const serialDisks = "block/*/serial"

// awaitSerial waits for the disk with a serial number and returns its node.
func awaitSerial(ctx context.Context, serial string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, deviceStall, errors.New("no disk with this serial number appeared"))
	defer cancel()
	var found string
	err := Await(ctx, serial, func() bool {
		name := diskBySerial(os.DirFS("/sys"), serial)
		if name == "" {
			return false
		}
		found = filepath.Join("/dev", name)
		_, err := os.Stat(found)
		return err == nil
	})
	return found, err
}

// diskBySerial finds the name of a disk in sysfs, "" when it is not there.
func diskBySerial(sys fs.FS, serial string) string {
	names, err := fs.Glob(sys, serialDisks)
	if err != nil {
		return ""
	}
	for _, name := range names {
		b, err := fs.ReadFile(sys, name)
		if err == nil && strings.TrimRight(string(b), "\n") == serial {
			return path.Base(path.Dir(name))
		}
	}
	return ""
}
