package vm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// How folders reach a guest (VM.Share).
const (
	ShareNone     = ""                // there are none
	SharePort     = wire.Kind9P       // over a port: everywhere
	Share9PDevice = wire.KindVirtio9P // as a device whose requests come over a socket: where QEMU has it
	ShareDevice   = wire.KindVirtioFS // as a device that sees the guest's memory: fast, on Linux
)

// deviceSocket is where a device with folders listens, in the run directory,
// until QEMU has connected.
const deviceSocket = "folders.sock"

// withDevice tells whether a machine gets its folders as a device. It is decided before
// the machine starts, because a device has to see its memory.
func (v *VM) withDevice() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.cfg.ServeDevice != nil && v.cfg.ServeFS != nil && v.failedWays[ShareDevice] == nil && qemu.CanPlugFolders(runtime.GOOS)
}

// with9PDevice tells whether a machine gets its folders as a device that speaks 9p, when
// not as the other one.
func (v *VM) with9PDevice() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.cfg.Device9P && v.cfg.ServeFS != nil && v.failedWays[Share9PDevice] == nil
}

// wants is what this VM's machines are asked for.
func (v *VM) wants() wants {
	w := wants{addOns: v.hw.Image.AddOns, fs: v.cfg.ServeFS, state: v.cfg.State, links: v.cfg.links(), wayFailed: v.wayFailed, device9P: v.with9PDevice()}
	if v.withDevice() {
		w.device, w.open = v.cfg.ServeDevice, v.cfg.OpenFolders
	}
	return w
}

// wayFailed remembers why the folders are not a device of a kind; the VM goes another way
// from then on.
func (v *VM) wayFailed(kind string, err error) {
	v.log.Warn("the folders are not this device of the machine; they are served another way", "device", kind, "err", err)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failedWays == nil {
		v.failedWays = map[string]error{}
	}
	if v.failedWays[kind] == nil {
		v.failedWays[kind] = err
	}
}

// hasFailed tells whether the folders cannot be a device of a kind.
func (v *VM) hasFailed(kind string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failedWays[kind] != nil
}

// Share says how the folders reach the guest of a ready VM, and why they are not
// a device, when they were to be one.
func (v *VM) Share() (kind string, why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	why = v.failedWays[ShareDevice]
	if why == nil {
		why = v.failedWays[Share9PDevice]
	}
	switch {
	case v.m == nil || v.cfg.ServeFS == nil:
		return ShareNone, why
	case v.m.share == ShareDevice:
		return ShareDevice, nil
	}
	return v.m.share, why
}

// shareWay is how the folders of a task reach its machine.
type shareWay struct {
	kind  string
	mount *wire.MountParams // that the guest is asked for; nil without folders
	// plug gives a machine that runs the device and serves it; nil for the port, which it
	// has.
	plug func(ctx context.Context) error
}

// way is the best one of those that are left to a machine.
func (w wants) way(m *machine) shareWay {
	switch {
	case w.fs == nil:
		return shareWay{kind: ShareNone}
	case w.device != nil && m.ram != nil && m.can(wire.CanMountVirtioFS):
		return shareWay{ShareDevice, deviceMount(ShareDevice, w.state), func(ctx context.Context) error { return m.plugDevice(ctx, w) }}
	case w.device9P && m.can(wire.CanMountVirtio9P):
		return shareWay{Share9PDevice, deviceMount(Share9PDevice, w.state), func(ctx context.Context) error { return m.plug9P(ctx, w) }}
	}
	return shareWay{kind: SharePort, mount: folders(w.state)}
}

// without is w when a kind of device has failed.
func (w wants) without(kind string) wants {
	switch kind {
	case ShareDevice:
		w.device = nil
	case Share9PDevice:
		w.device9P = false
	}
	return w
}

// folderDevice is the device of a machine through which its guest sees the folders.
type folderDevice struct {
	ram       *qemu.SharedRAM // that the machine is started with, nil for memory that no device sees
	tried     string          // the last kind of device that it was to be given
	share     string          // how the folders reached it; set before the machine is a task's
	endDevice func()          // ends its server; nil without one
}

// sharedRAM makes memory that a device can see, for the machine's next start.
// The caller closes it.
func (d *folderDevice) sharedRAM(spec *qemu.Spec) (*qemu.SharedRAM, error) {
	ram, err := qemu.NewSharedRAM(spec.MemoryMB)
	if err != nil {
		return nil, err
	}
	d.ram = ram
	spec.RAM = &qemu.RAMFile{Handed: true}
	return ram, nil
}

// deviceMount is how the guest is asked to mount a device.
func deviceMount(kind string, state bool) *wire.MountParams {
	return &wire.MountParams{Kind: kind, Export: qemu.FoldersTag, Path: wire.FoldersDir, State: state}
}

// plugDevice gives a machine that runs the device with the folders and serves it.
// That it is not served any more is the end of the machine; and it is served until
// the machine has ended, because a guest waits for its device for ever.
func (m *machine) plugDevice(ctx context.Context, w wants) error {
	m.tried = ShareDevice
	if w.open != nil {
		// QEMU stands still while it waits for the device's first answers.
		if err := orEnd(ctx, w.open); err != nil {
			return err
		}
	}
	socket := filepath.Join(m.runDir, deviceSocket)
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("listen for QEMU: %w", err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return errors.Join(fmt.Errorf("make the socket for QEMU private: %w", err), l.Close())
	}
	served, endServing := context.WithCancel(context.Background())
	m.endDevice = endServing
	plugged := make(chan bool, 1)
	m.parts.Go(func() {
		err := w.device(served, l)
		switch {
		case served.Err() != nil:
			if err != nil {
				m.log.Warn("the server of the folders did not end well", "err", err)
			}
			return
		case err == nil:
			err = errors.New("the file server ended")
		}
		if !<-plugged { // the port serves them
			m.log.Warn("the folders could not be served to a device", "err", err)
			return
		}
		m.afterEvidence(vmhost.ReasonShare, err)
	})
	err = m.proc.PlugFolders(ctx, socket)
	plugged <- err == nil
	if err != nil {
		endServing() // no guest has it
		return err
	}
	_ = os.Remove(socket) // nobody else is to connect
	return nil
}

// plug9P is plugDevice for the device that speaks 9p. Its guest waits for nothing when
// the server has ended: every request fails.
func (m *machine) plug9P(ctx context.Context, w wants) error {
	m.tried = Share9PDevice
	socket := filepath.Join(m.runDir, deviceSocket)
	conn, err := m.proc.Plug9P(ctx, socket)
	_ = os.Remove(socket) // it is gone already, but on Windows
	if err != nil {
		return err
	}
	m.serve(w.fs, conn)
	return nil
}

// orEnd waits for f no longer than for ctx.
func orEnd(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mount has a machine's guest mount the folders as a step of its own, and goes another way
// when one fails of which the machine does not die.
func (w wants) mount(ctx context.Context, m *machine) error {
	for {
		way := w.way(m)
		if way.mount == nil {
			return nil
		}
		var err error
		if way.plug == nil {
			m.serve(w.fs, m.proc.Port(wire.PortFS))
		} else {
			err = way.plug(ctx)
		}
		if err == nil {
			err = m.call(ctx, wire.MethodMount, way.mount, nil)
		}
		if err == nil {
			m.share = way.kind
			return nil
		}
		if way.plug == nil || ctx.Err() != nil || errors.Is(err, qemu.ErrSilentDevice) {
			return err
		}
		w.wayFailed(way.kind, err)
		w = w.without(way.kind)
	}
}

// isMountError tells whether all that failed is the mount.
func isMountError(err error) bool {
	var step *stepError
	return errors.As(err, &step) && step.step == StepMount
}
