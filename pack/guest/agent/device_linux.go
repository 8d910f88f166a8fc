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

// deviceKind is how the kernel has devices of a kind.
type deviceKind struct {
	fs, options string
	dir         string // lists them
	tag         string // in a device's directory: the file with its tag
	driver      string // is there when the kernel has a driver for them
}

// deviceKinds are the kinds of devices by MountParams.Kind.
var deviceKinds = map[string]deviceKind{
	// Documentation/ABI/testing/sysfs-fs-virtiofs, Linux 6.9.
	wire.KindVirtioFS: {fs: "virtiofs", dir: "/sys/fs/virtiofs", tag: "tag", driver: "/sys/fs/virtiofs"},
	// The largest message is what the transport has room for in its ring.
	wire.KindVirtio9P: {
		fs: "9p", options: "trans=virtio,version=9p2000.L,cache=mmap,access=any,msize=512000",
		dir: "/sys/bus/virtio/devices", tag: "mount_tag", driver: "/sys/bus/virtio/drivers/9pnet_virtio",
	},
}

// deviceLimit is how long a device may take to be there. The host plugs it when it
// asks for the mount, and has another way when it does not come.
const deviceLimit = 5 * time.Second

// CanMountDevice reports whether the kernel has a driver for devices of a kind.
func CanMountDevice(kind string) bool {
	_, err := os.Stat(deviceKinds[kind].driver)
	return err == nil
}

// MountDevice mounts a device, also one that is about to be plugged: the kernel speaks
// with the host's file server by itself.
func MountDevice(ctx context.Context, p wire.MountParams) error {
	kind := deviceKinds[p.Kind]
	if err := kind.await(ctx, p.Export, deviceLimit); err != nil {
		return err
	}
	if p.Path != wire.FoldersDir { // which every root has
		if err := os.MkdirAll(p.Path, 0o755); err != nil {
			return err
		}
	}
	// The host's file server answers or ends the machine.
	if err := unix.Mount(p.Export, p.Path, kind.fs, unix.MS_NOSUID|unix.MS_NODEV, kind.options); err != nil {
		return fmt.Errorf("mount the device %q: %w", p.Export, err)
	}
	return nil
}

// await waits until the driver has a device with a tag.
func (k deviceKind) await(ctx context.Context, tag string, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("it does not come"))
	defer cancel()
	return boot.Await(ctx, fmt.Sprintf("the device %q", tag), func() bool { return k.has(tag) })
}

// has tells whether there is a device with a tag. The one file ends in a new line, the
// other in a zero.
func (k deviceKind) has(tag string) bool {
	list, _ := os.ReadDir(k.dir)
	for _, e := range list {
		if b, err := os.ReadFile(filepath.Join(k.dir, e.Name(), k.tag)); err == nil && strings.TrimRight(string(b), "\n\x00") == tag {
			return true
		}
	}
	return false
}

// unmountDevice ends a mount. A file server that does not answer is left for the
// machine's end; nobody finds the share any more then.
func unmountDevice(ctx context.Context, path string) error {
	result := make(chan error, 1)
	go func() { result <- unix.Unmount(path, 0) }()
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		err = errors.Join(ctx.Err(), unix.Unmount(path, unix.MNT_DETACH))
	}
	if err != nil {
		return fmt.Errorf("unmount %s: %w", path, err)
	}
	return nil
}
