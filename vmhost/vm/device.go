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
	Share9P       = wire.KindVirtio9P // as a device whose requests come over a socket: where QEMU has it
	ShareVirtioFS = wire.KindVirtioFS // as a device that sees the guest's memory: fast, on Linux
)

// ErrNoWay says that folders cannot reach machines of a runtime: its QEMU has no 9p device
// (qemu.Limits), and virtio-fs is not possible or was not wanted.
var ErrNoWay = errors.New("this runtime shares folders by virtio-fs alone")

// deviceSocket is where a device with folders listens, in the run directory,
// until QEMU has connected.
const deviceSocket = "folders.sock"

// withDevice tells whether a machine gets its folders as virtio-fs. It is decided before
// the machine starts, because that device has to see its memory.
func (v *VM) withDevice() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.cfg.ServeDevice != nil && v.cfg.ServeFS != nil && v.deviceFailed == nil && qemu.CanPlugFolders(runtime.GOOS)
}

// wants is what this VM's machines are asked for.
func (v *VM) wants() wants {
	w := wants{addOns: v.hw.Image.AddOns, fs: v.cfg.ServeFS, state: v.cfg.State, links: v.cfg.links()}
	if v.withDevice() {
		w.device, w.open, w.deviceFailed = v.cfg.ServeDevice, v.cfg.OpenFolders, v.noteDevice
	}
	return w
}

// noteDevice remembers why the folders are not virtio-fs; the VM goes the other way from
// then on. It is false when there is none, or when that is known.
func (v *VM) noteDevice(err error) bool {
	if v.hw.Image.Limits.No9PDevice {
		return false
	}
	v.log.Warn("the folders are not virtio-fs; they are served over 9p", "err", err)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.deviceFailed != nil {
		return false
	}
	v.deviceFailed = err
	return true
}

// Share says how the folders reach the guest of a ready VM, and why that is not virtio-fs,
// when it was to be.
func (v *VM) Share() (kind string, why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.m == nil || v.cfg.ServeFS == nil:
		return ShareNone, v.deviceFailed
	case v.m.share == ShareVirtioFS:
		return ShareVirtioFS, nil
	}
	return v.m.share, v.deviceFailed
}

// way is how the folders of a task reach a machine: the best one of those that are left
// to it.
func (w wants) way(m *machine) (kind string, err error) {
	switch {
	case w.fs == nil:
		return ShareNone, nil
	case w.device != nil && m.ram != nil && m.can(wire.CanMountVirtioFS):
		return ShareVirtioFS, nil
	case m.Image.Limits.No9PDevice:
		return ShareNone, &stepError{step: StepMount, reason: vmhost.ReasonShare, err: ErrNoWay}
	case !m.can(wire.CanMountVirtio9P):
		return ShareNone, lacks(wire.CanMountVirtio9P)
	}
	return Share9P, nil
}

// folderDevice is how the guest of a machine sees the folders.
type folderDevice struct {
	ram       *qemu.SharedRAM // that the machine is started with, nil for memory that no device sees
	tried     bool            // it was to be given virtio-fs
	share     string          // how the folders reached it; set before the machine is a task's
	endDevice func()          // ends the server of virtio-fs; nil without one
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

// mountParams is how the guest is asked to mount folders; nil for none.
func mountParams(kind string, state bool) *wire.MountParams {
	if kind == ShareNone {
		return nil
	}
	return &wire.MountParams{Kind: kind, Export: qemu.FoldersTag, Path: wire.FoldersDir, State: state}
}

// plugDevice gives a machine that runs the device with the folders and serves it.
// That it is not served any more is the end of the machine; and it is served until
// the machine has ended, because a guest waits for its device for ever.
func (m *machine) plugDevice(ctx context.Context, w wants) error {
	m.tried = true
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
		if !<-plugged { // they are served otherwise, or the machine ends
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

// mount has a machine's guest mount the folders as a step of its own. When virtio-fs fails
// and the machine does not die of that, it is the other way.
func (w wants) mount(ctx context.Context, m *machine) error {
	kind, err := w.way(m)
	if err != nil || kind == ShareNone {
		return err
	}
	if kind == Share9P {
		m.serve(w.fs, m.proc.Folders())
	} else {
		err = m.plugDevice(ctx, w)
	}
	if err == nil {
		err = m.call(ctx, wire.MethodMount, mountParams(kind, w.state), nil)
	}
	if err == nil {
		m.share = kind
		return nil
	}
	if kind != ShareVirtioFS || ctx.Err() != nil || errors.Is(err, qemu.ErrSilentDevice) || !w.deviceFailed(err) {
		return err
	}
	w.device = nil
	return w.mount(ctx, m)
}

// isMountError tells whether all that failed is the mount.
func isMountError(err error) bool {
	var step *stepError
	return errors.As(err, &step) && step.step == StepMount
}
