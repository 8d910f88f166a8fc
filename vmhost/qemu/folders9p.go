package qemu

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/digitalocean/go-qemu/qmp"
)

// foldersPlug is the device with the folders among what is plugged, when its requests
// come here; no port is named so.
const foldersPlug = "/folders"

// foldersBuffer is what a connection with such a device is to hold at once, bytes: a
// message and more.
const foldersBuffer = 1 << 20

// folders9PDevice is the device whose requests, messages of 9p, go to a connection
// (recipe/patches/all of pack/image/qemu).
func (s Spec) folders9PDevice() options {
	bus, slot := "pci.0", slotFolders
	if s.Image.Arch == "aarch64" {
		bus, slot = foldersPortID, 0
	}
	d := deviceAt("virtio-9p-chardev-pci", bus, slot, option{"id", foldersID}, option{"chardev", foldersID}, option{"mount_tag", FoldersTag})
	if s.Accel == AccelTCG {
		// The emulated processor sends a request by itself, which takes less than
		// waking another thread for it. A real one would have to leave the guest.
		d = append(d, option{"ioeventfd", false})
	}
	return d
}

// Plug9P gives a running machine a device for folders, and returns the connection with
// the 9p client of its guest; it is closed in Stop, too. The guest finds the device a
// little later, by FoldersTag. The error is ErrNoPlace when there is one; after any
// error, that QEMU knows no such device among them, the machine goes on without. When
// the connection ends, the guest's requests fail.
func (p *Process) Plug9P(ctx context.Context, socket string) (conn net.Conn, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, plugTime, errors.New("QEMU does not answer"))
	defer cancel()
	if err := p.plugs.add(foldersPlug, plugged{}); err != nil {
		return nil, fmt.Errorf("plug the folders: %w", err)
	}
	defer func() {
		if err != nil {
			p.plugs.remove(foldersPlug)
			err = fmt.Errorf("plug the folders: %w", err)
		}
	}()
	backend := map[string]any{"type": "socket", "data": map[string]any{
		"addr": map[string]any{"type": "unix", "data": map[string]any{"path": socket}}, "server": false,
	}}
	away := qmp.Command{Execute: "chardev-remove", Args: map[string]any{"id": foldersID}}
	conn, err = acceptPlugged(ctx, p.monitor, socket, qmp.Command{Execute: "chardev-add", Args: map[string]any{"id": foldersID, "backend": backend}}, away)
	if err != nil {
		return nil, err
	}
	if u, ok := conn.(*net.UnixConn); ok {
		_ = u.SetWriteBuffer(foldersBuffer) // or as much of it as the system gives
	}
	p.plugs.connected(foldersPlug, conn)
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_add", Args: p.spec.folders9PDevice().arguments()}, nil); err != nil {
		_ = p.monitor.Do(ctx, away, nil)
		return nil, err
	}
	return conn, nil
}
