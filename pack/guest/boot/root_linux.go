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

// The user whose programs run in the guest; the root image has it by name. What
// operations start has another, by number only, and a group of that number.
const (
	UserID     = 1000
	GroupID    = 1000
	ProgramsID = 1001
)

// deviceStall is how long a disk may take to appear. It only tells a missing
// device from a slow machine: emulation needs well under a second.
const deviceStall = time.Minute

// Where things are below the initramfs's root, which later roots cover.
const (
	lowerDir  = ".lower" // has a directory for each image
	baseName  = "base"
	upperDisk = ".disk"
)

// mergedDir is where a root is put together, below the root of that moment.
const mergedDir = "/.merged"

// ScratchDir is where operations have their copies: on the task's disk, in no directory
// of programs, which could put another in its place.
const ScratchDir = "/scratch"

// Root is the root that programs see. It can be put together again over other
// layers while nothing was changed in it that is to stay: the images and the
// task's disk are kept, what takes changes begins anew. Processes that stand in
// the root before, this one and those it started, stand in the new one then.
type Root struct {
	log    *Log
	opts   Options
	under  *os.File // the initramfs's root directory, reached past what covers it
	disk   bool     // the task's disk is mounted
	made   int      // roots so far
	layers map[string]bool
}

// OpenBase mounts the root image; in a proof boot there is none, and no Root.
func OpenBase(ctx context.Context, log *Log, opts Options) (*Root, error) {
	if opts.Root == "" {
		return nil, nil
	}
	if err := awaitDevice(ctx, opts.Root); err != nil {
		return nil, err
	}
	under, err := os.OpenFile("/", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	r := &Root{log: log, opts: opts, under: under, layers: map[string]bool{}}
	if err := r.mountImage(baseName, opts.Root, opts.Verity); err != nil {
		return nil, err
	}
	log.Mark("rootImage")
	return r, nil
}

// below names a path below the initramfs's root, whatever covers it.
func (r *Root) below(parts ...string) string {
	return filepath.Join(append([]string{fmt.Sprintf("/proc/self/fd/%d", r.under.Fd())}, parts...)...)
}

// Assemble mounts the task's disk and the layers, merges them with the base,
// the last layer on top, and moves this process into the result: afterwards /
// is the root that programs see.
func (r *Root) Assemble(ctx context.Context, layers []wire.Layer) error {
	lower := []string{r.below(lowerDir, baseName)}
	for _, l := range layers {
		if err := r.openLayer(ctx, l); err != nil {
			return fmt.Errorf("layer %s: %w", l.Name, err)
		}
		lower = append([]string{r.below(lowerDir, l.Name)}, lower...)
	}
	r.log.Mark("layers")
	if err := r.mountDisk(ctx); err != nil {
		return err
	}
	r.log.Mark("workDisk")
	r.made++
	if err := r.merge(lower); err != nil {
		return err
	}
	if r.made == 1 {
		if err := enter(); err != nil {
			return err
		}
	} else if err := change(); err != nil {
		return err
	}
	r.log.Mark("root")
	return nil
}

// openLayer mounts a layer's image, once.
func (r *Root) openLayer(ctx context.Context, l wire.Layer) error {
	if l.Name == baseName {
		return errors.New("the root image has this name")
	}
	if r.layers[l.Name] {
		return nil
	}
	disk, err := awaitSerial(ctx, l.Disk)
	if err != nil {
		return err
	}
	var v *verity.Params
	if l.RootHash != "" {
		v = &verity.Params{RootHash: l.RootHash, Salt: l.Salt, DataBlocks: l.DataBlocks}
	}
	if err := r.mountImage(l.Name, disk, v); err != nil {
		return err
	}
	r.layers[l.Name] = true
	return nil
}

// imageKind is the file system of every read-only image.
const imageKind = "erofs"

// mountImage mounts a read-only image, through dm-verity when v says what it
// must be.
func (r *Root) mountImage(name, device string, v *verity.Params) error {
	if v != nil {
		checked, err := verity.Open(name, device, *v)
		if err != nil {
			return err
		}
		device = checked
	}
	dir := r.below(lowerDir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(device, dir, imageKind, unix.MS_RDONLY|unix.MS_NOATIME|unix.MS_NODEV, ""); err != nil {
		return fmt.Errorf("mount image %s as %s: %w", device, imageKind, err)
	}
	return nil
}

// mountDisk mounts what takes the changes, once: the task's disk, or memory
// when there is none.
func (r *Root) mountDisk(ctx context.Context) error {
	if r.disk {
		return nil
	}
	dir, device := r.below(upperDisk), r.opts.Work
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kind, data := "ext4", "discard" // what is deleted is given back to the host's disk
	if device == "" {
		device, kind, data = "tmpfs", "tmpfs", "mode=0755,size=50%"
	} else if err := awaitDevice(ctx, device); err != nil {
		return err
	}
	if err := unix.Mount(device, dir, kind, unix.MS_NOATIME|unix.MS_NODEV, data); err != nil {
		return fmt.Errorf("mount work disk %s as %s: %w", device, kind, err)
	}
	r.disk = true
	return nil
}

// merge puts the next root together, of images from the top down. A mounted
// overlay cannot be given other layers, and two must not share a directory for
// changes, so each root has its own.
func (r *Root) merge(lower []string) error {
	upper, overlay := r.below(upperDisk, fmt.Sprint("upper", r.made)), r.below(upperDisk, fmt.Sprint("overlay", r.made))
	work, scratch := r.below(upperDisk, "work"), r.below(upperDisk, "scratch")
	for _, d := range []string{upper, overlay, work, scratch} {
		if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := os.MkdirAll(mergedDir, 0o755); err != nil {
		return err
	}
	data := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", strings.Join(lower, ":"), upper, overlay)
	if err := unix.Mount("overlay", mergedDir, "overlay", unix.MS_NOATIME|unix.MS_NODEV, data); err != nil {
		return fmt.Errorf("mount overlay: %w", err)
	}
	for _, d := range []string{"/proc", "/sys", "/dev", "/run", wire.FoldersDir, wire.StateDir, wire.WorkDir, ScratchDir} {
		if err := os.MkdirAll(mergedDir+d, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(work, mergedDir+wire.WorkDir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", wire.WorkDir, err)
	}
	if err := unix.Mount(scratch, mergedDir+ScratchDir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", ScratchDir, err)
	}
	if err := os.Chmod(mergedDir+ScratchDir, 0o711); err != nil { // each run's is found by name
		return err
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

// takeAlong moves the kernel's file systems into the merged root, which becomes
// the working directory.
func takeAlong() error {
	for _, d := range []string{"/proc", "/sys", "/dev", "/run"} {
		if err := unix.Mount(d, mergedDir+d, "", unix.MS_MOVE, ""); err != nil {
			return fmt.Errorf("move %s: %w", d, err)
		}
	}
	return unix.Chdir(mergedDir)
}

// enter makes the merged root the root of this process, as switch_root(8) does:
// pivot_root(2) refuses an initramfs.
func enter() error {
	if err := takeAlong(); err != nil {
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

// change makes the merged root the root of every process that stands in the one
// before, which goes away with the last file of it that is in use. As in
// pivot_root(2), the old root is stacked on the new and taken off.
func change() error {
	if err := takeAlong(); err != nil {
		return err
	}
	// The folders may be mounted already (EINVAL: they are not).
	if err := unix.Mount(wire.FoldersDir, mergedDir+wire.FoldersDir, "", unix.MS_MOVE, ""); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("move %s: %w", wire.FoldersDir, err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("detach the old root: %w", err)
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
