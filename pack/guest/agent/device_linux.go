package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/boot"
	"piwork/vmhost/wire"
)

// devicesDir lists the devices that the virtio-fs driver has, each with its tag
// (Documentation/ABI/testing/sysfs-fs-virtiofs, Linux 6.9).
const devicesDir = "/sys/fs/virtiofs"

// deviceLimit is how long a device may take to be there. The host plugs it when it
// asks for the mount, and has another way when it does not come.
const deviceLimit = 5 * time.Second

// device is a share that the machine has as a device: the kernel speaks with the
// host's file server by itself.
type device struct{ path string }

// CanMountDevice reports whether the kernel has a driver for such devices.
func CanMountDevice() bool {
	_, err := os.Stat(devicesDir)
	return err == nil
}

// mountDevice mounts a device, also one that is about to be plugged.
func mountDevice(ctx context.Context, p wire.MountParams) (share, error) {
	if err := awaitDevice(ctx, devicesDir, p.Export, deviceLimit); err != nil {
		return nil, err
	}
	if p.Path != wire.FoldersDir { // which every root has
		if err := os.MkdirAll(p.Path, 0o755); err != nil {
			return nil, err
		}
	}
	// The host's file server answers or ends the machine.
	if err := unix.Mount(p.Export, p.Path, "virtiofs", unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return nil, fmt.Errorf("mount the device %q: %w", p.Export, err)
	}
	return &device{p.Path}, nil
}

// awaitDevice waits until the driver has a device with a tag.
func awaitDevice(ctx context.Context, dir, tag string, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("it does not come"))
	defer cancel()
	return boot.Await(ctx, fmt.Sprintf("the device %q", tag), func() bool { return hasDevice(dir, tag) })
}

func hasDevice(dir, tag string) bool {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if b, err := os.ReadFile(filepath.Join(dir, e.Name(), "tag")); err == nil && strings.TrimSuffix(string(b), "\n") == tag {
			return true
		}
	}
	return false
}

// Done implements share: nothing but Unmount ends it.
func (d *device) Done() <-chan struct{} { return nil }

// Unmount implements share. A file server that does not answer is left for the
// machine's end; nobody finds the share any more then.
func (d *device) Unmount(ctx context.Context) error {
	result := make(chan error, 1)
	go func() { result <- unix.Unmount(d.path, 0) }()
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		err = errors.Join(ctx.Err(), unix.Unmount(d.path, unix.MNT_DETACH))
	}
	if err != nil {
		return fmt.Errorf("unmount %s: %w", d.path, err)
	}
	return nil
}
