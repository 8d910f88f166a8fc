package qemu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

// Errors of a device for folders. None of them is in the way of a machine
// without one.
var (
	// ErrNoFolderDevice says that machines of this kind take no device for
	// folders (CanPlugFolders).
	ErrNoFolderDevice = errors.New("this machine takes no device for folders")
	// ErrUnseenMemory says that no device outside of QEMU could see the machine's
	// memory. QEMU would plug one all the same, and it would read something else
	// than what the guest writes.
	ErrUnseenMemory = errors.New("the machine's memory is its own")
)

// ErrSilentDevice says that a device did not answer QEMU, which stands still over
// that: the machine can only be ended.
var ErrSilentDevice = errors.New("the device does not answer, and QEMU waits for it")

// plugTime is how long a device may take to answer what QEMU asks of it first.
const plugTime = 10 * time.Second

// FoldersTag is the name by which a guest mounts the device with the folders.
const FoldersTag = "folders"

// foldersID names the device, and the connection that it has.
const foldersID = "folders"

// foldersQueue is how many requests the ring of the device holds, the most that
// QEMU and a guest's kernel take.
const foldersQueue = 1024

// CanPlugFolders tells whether machines on a system (GOOS) can have a device for
// folders: vhost-user hands over file descriptors, which only Linux does.
func CanPlugFolders(host string) bool { return host == "linux" }

// foldersDevice is the device with the folders (virtio-fs).
func (s Spec) foldersDevice() options {
	bus, slot := "pci.0", slotFolders
	if s.Image.Arch == "aarch64" {
		bus, slot = foldersPortID, 0
	}
	// It has no interface from before virtio 1.0 to be disabled.
	return options{
		{"", "vhost-user-fs-pci"}, {"id", foldersID}, {"bus", bus}, {"addr", fmt.Sprintf("0x%x", slot)},
		{"chardev", foldersID}, {"tag", FoldersTag}, {"queue-size", foldersQueue},
	}
}

const foldersPortID = "folders-port"

// foldersPort is where the device is plugged on aarch64 (layerPort).
func foldersPort() options {
	return options{{"", "pcie-root-port"}, {"id", foldersPortID}, {"bus", "pcie.0"}, {"addr", fmt.Sprintf("0x%x", slotFolders)}, {"chassis", MaxLayers + 1}}
}

// PlugFolders gives a running machine a device for folders: the one that listens
// on a socket, as vhost-user's back end, and sees the machine's memory. The guest
// finds it a little later. It cannot be plugged twice; that it ends is the end of
// the machine. The error is ErrNoFolderDevice or ErrUnseenMemory where that cannot
// be, and ErrSilentDevice when the machine stands still; after another one it goes
// on without.
func (p *Process) PlugFolders(ctx context.Context, socket string) error {
	switch {
	case !CanPlugFolders(p.spec.Host):
		return fmt.Errorf("plug the folders: %w: %s", ErrNoFolderDevice, p.spec.Host)
	case !p.spec.RAM.seen():
		return fmt.Errorf("plug the folders: %w", ErrUnseenMemory)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, plugTime, ErrSilentDevice)
	defer cancel()
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "chardev-add", Args: p.spec.chardevBackend(foldersID, socket)}, nil); err != nil {
		return fmt.Errorf("plug the folders: %w", err)
	}
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_add", Args: p.spec.foldersDevice().arguments()}, nil); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("plug the folders: %w", err)
		}
		// Nobody has the connection then.
		_ = p.monitor.Do(ctx, qmp.Command{Execute: "chardev-remove", Args: map[string]any{"id": foldersID}}, nil)
		return fmt.Errorf("plug the folders: %w", err)
	}
	return nil
}

// checkHanded checks memory that is handed over: QEMU would make a short one
// longer.
func (s Spec) checkHanded(f *os.File) error {
	if f == nil || s.RAM.Private || s.RAM.Path != "" {
		return errors.New("memory that is to be handed over, and is not there")
	}
	fi, err := f.Stat()
	if size := int64(s.memoryMB()) << 20; err == nil && fi.Size() != size {
		err = fmt.Errorf("%d bytes of memory, not %d", fi.Size(), size)
	}
	if err != nil {
		return fmt.Errorf("the memory that is handed over: %w", err)
	}
	return nil
}
