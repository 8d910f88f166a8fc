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
	ShareNone   = ""                // there are none
	SharePort   = wire.Kind9P       // over a port: everywhere
	ShareDevice = wire.KindVirtioFS // as a device that sees the guest's memory: fast, on Linux
)

// deviceSocket is where a device with folders listens, in the run directory,
// until QEMU has connected.
const deviceSocket = "folders.sock"

// withDevice tells whether a machine gets its folders as a device. It is decided before
// the machine starts, because a device has to see its memory.
func (v *VM) withDevice() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.cfg.ServeDevice != nil && v.cfg.ServeFS != nil && v.noDevice == nil && qemu.CanPlugFolders(runtime.GOOS)
}

// wants is what this VM's machines are asked for.
func (v *VM) wants() wants {
	w := wants{addOns: v.hw.Image.AddOns, fs: v.cfg.ServeFS, state: v.cfg.State, links: v.cfg.links()}
	if v.withDevice() {
		w.device, w.open, w.noDevice = v.cfg.ServeDevice, v.cfg.OpenFolders, v.deviceFailed
	}
	return w
}

// deviceFailed remembers why the folders are not a device; the VM uses the port from
// then on.
func (v *VM) deviceFailed(err error) {
	v.log.Warn("the folders are no device of the machine; they are served over its port", "err", err)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.noDevice == nil {
		v.noDevice = err
	}
}

// Share says how the folders reach the guest of a ready VM, and why they are not
// a device, when they were to be one.
func (v *VM) Share() (kind string, why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.m == nil || v.cfg.ServeFS == nil:
		return ShareNone, v.noDevice
	case v.m.plugged:
		return ShareDevice, nil
	}
	return SharePort, v.noDevice
}

// folderDevice is the device of a machine through which its guest sees the folders.
type folderDevice struct {
	ram       *qemu.SharedRAM // that the machine is started with, nil for memory that no device sees
	plugged   bool            // the folders are a device; set before the machine is a task's
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

// deviceMount is how the guest is asked to mount the device.
func deviceMount(state bool) *wire.MountParams {
	return &wire.MountParams{Kind: wire.KindVirtioFS, Export: qemu.FoldersTag, Path: wire.FoldersDir, State: state}
}

// plugDevice gives a machine that runs the device with the folders and serves it.
// That it is not served any more is the end of the machine; and it is served until
// the machine has ended, because a guest waits for its device for ever.
func (m *machine) plugDevice(ctx context.Context, w wants) error {
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

// mountPort has the guest mount the folders over its port, as a step of its own.
func (m *machine) mountPort(ctx context.Context, w wants) error {
	m.serve(w.fs)
	return m.call(ctx, wire.MethodMount, folders(w.state), nil)
}

// isMountError tells whether all that failed is the mount.
func isMountError(err error) bool {
	var step *stepError
	return errors.As(err, &step) && step.step == StepMount
}
