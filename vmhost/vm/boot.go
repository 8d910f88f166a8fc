package vm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/digitalocean/go-qemu/qmp"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// Steps of connecting, as Status.Step says them.
const (
	StepDisk    = "disk"    // the overlay is made
	StepMachine = "machine" // QEMU starts
	StepKernel  = "kernel"  // the guest has not said anything yet
	StepAgent   = "agent"   // the agent has not answered yet
	StepPrepare = "prepare" // time, randomness and names; the guest mounts its root
	StepMount   = "mount"   // the folders
)

// connect brings the machine up. What it started is ended by end.
func (v *VM) connect(ctx context.Context) error {
	v.step(StepDisk)
	if err := v.makeFiles(); err != nil {
		return err
	}
	v.step(StepMachine)
	if err := v.start(ctx); err != nil {
		return err
	}
	v.parts.Go(v.supervise)

	// Silence of console and port together ends connecting, nothing else does.
	dog, silent := qemu.Watch(v.timing.stall, func() time.Time {
		_, console := v.proc.Console().Activity()
		if agent := v.conv.filter.activity(); agent.After(console) {
			return agent
		}
		return console
	})
	defer dog.Stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		first := v.proc.Console().First()
		for {
			select {
			case <-first:
				v.stepFrom(StepKernel, StepAgent)
				first = nil
			case <-silent:
				cancel(&stepError{vmhost.ReasonStalled, fmt.Errorf("neither console nor agent said anything in %v", v.timing.stall)})
				return
			case <-done:
				return
			}
		}
	}()

	v.step(StepKernel)
	if err := v.sayHello(ctx); err != nil {
		return err
	}
	v.step(StepPrepare)
	if err := v.prepare(ctx); err != nil {
		return err
	}
	if v.cfg.ServeFS == nil {
		return nil
	}
	v.step(StepMount)
	return v.mount(ctx)
}

// stepFrom goes on to the next step, unless connecting is past it.
func (v *VM) stepFrom(old, next string) { v.toFrom(&old, vmhost.StateConnecting, next, nil) }

// makeFiles makes the directories and the overlay.
func (v *VM) makeFiles() error {
	if err := os.MkdirAll(v.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the VM: %w", err)
	}
	if err := os.Chmod(v.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the VM private: %w", err)
	}
	overlay := filepath.Join(v.cfg.Dir, "overlay.qcow2")
	// One that is there belonged to a VM whose program was killed.
	if err := os.Remove(overlay); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove an old overlay: %w", err)
	}
	v.overlay = overlay
	if err := qemu.CreateOverlay(overlay, v.cfg.Image.WorkBase); err != nil {
		return err
	}
	if v.cfg.RunDir != "" {
		v.runDir = v.cfg.RunDir
		return os.MkdirAll(v.runDir, 0o700)
	}
	dir, _, err := qemu.NewRunDir()
	v.runDir = dir
	return err
}

// start starts QEMU, with the next CPU model when it dies on one, and begins
// the conversation. The guest reads the host's first words when it is up.
func (v *VM) start(ctx context.Context) error {
	spec := qemu.Spec{
		Host: runtime.GOOS, Image: v.cfg.Image, Accel: v.cfg.Accel,
		MemoryMB: v.cfg.memoryMB(), CPUs: v.cfg.CPUs,
		Name:    "piwork-" + filepath.Base(v.cfg.Dir),
		Console: filepath.Join(v.runDir, "console.sock"),
		Ports:   []qemu.Port{{Name: wire.PortRPC, Socket: filepath.Join(v.runDir, "rpc.sock")}},
		Overlay: v.overlay,
	}
	if v.cfg.ServeFS != nil {
		spec.Ports = append(spec.Ports, qemu.Port{Name: wire.PortFS, Socket: filepath.Join(v.runDir, "fs.sock")})
	}
	models := []string{v.cfg.CPU}
	if v.cfg.CPU == "" {
		models = qemu.Ladder(v.cfg.Accel, v.cfg.Image.Arch)
	}
	var p *qemu.Process
	var err error
	for i, cpu := range models {
		spec.CPU = cpu
		p, err = qemu.Start(ctx, qemu.StartOptions{Spec: spec, LogDir: v.cfg.Dir, OnEvent: v.event})
		var exit *qemu.ExitError
		if err == nil || !errors.As(err, &exit) || i == len(models)-1 {
			break
		}
		v.log.Warn("QEMU does not start with this CPU model", "accel", v.cfg.Accel, "cpu", cpu, "err", err)
	}
	if err != nil {
		return err
	}
	v.mu.Lock()
	v.proc = p
	v.mu.Unlock()
	v.conv = converse(p.Port(wire.PortRPC), v.timing.write, v.log)
	return nil
}

// event hears QMP's events.
func (v *VM) event(e qmp.Event) {
	// With werror=enospc QEMU pauses a machine whose disk cannot grow.
	if full, _ := e.Data["nospace"].(bool); e.Event == "BLOCK_IO_ERROR" && full {
		go v.fail(vmhost.ReasonDiskFull, errors.New("no space on this computer for the VM's disk"))
	}
}

// sayHello opens the conversation and checks that both sides speak alike.
func (v *VM) sayHello(ctx context.Context) error {
	var h wire.Hello
	err := v.conv.call(ctx, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: v.cfg.AppVersion}, &h)
	if guest := (*jrpc2.Error)(nil); errors.As(err, &guest) && guest.Code == wire.CodeVersion {
		return &stepError{vmhost.ReasonVersion, err}
	}
	if err != nil {
		return v.stepFailed(ctx, err)
	}
	if h.Version != wire.Version {
		return &stepError{vmhost.ReasonVersion, fmt.Errorf("the guest speaks version %d of the protocol, piwork %d", h.Version, wire.Version)}
	}
	if err := h.Validate(); err != nil {
		return fmt.Errorf("guest.hello: %w", &ProtocolError{err})
	}
	for _, e := range h.Errors {
		v.log.Warn("the guest booted with an error", "err", e)
	}
	v.mu.Lock()
	v.hello = h
	v.mu.Unlock()
	return nil
}

// prepare makes the guest this task's own.
func (v *VM) prepare(ctx context.Context) error {
	p := wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: make([]byte, 2*wire.MinEntropy),
		Hostname: hostname, Locale: locale, TimeZone: hostTimeZone(), Layers: layers(v.cfg.Image.AddOns),
	}
	if _, err := rand.Read(p.Entropy); err != nil {
		return err
	}
	if p.Validate() != nil {
		p.TimeZone = "" // a name from this system that is none
	}
	if err := p.Validate(); err != nil {
		return err
	}
	return v.stepFailed(ctx, v.conv.call(ctx, wire.MethodPrepare, p, nil))
}

// layers tells the guest of the add-ons, in their order.
func layers(addOns []qemu.Layer) []wire.Layer {
	var l []wire.Layer
	for i, a := range addOns {
		w := wire.Layer{Name: a.Name, Disk: qemu.LayerDisk(i)}
		if a.Verity != nil {
			w.RootHash, w.Salt, w.DataBlocks = a.Verity.RootHash, a.Verity.Salt, a.Verity.DataBlocks
		}
		l = append(l, w)
	}
	return l
}

// mount serves the folders and has the guest mount them.
func (v *VM) mount(ctx context.Context) error {
	conn := v.proc.Port(wire.PortFS)
	v.parts.Go(func() {
		err := v.cfg.ServeFS(v.life, conn)
		if v.life.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("the file server ended")
		}
		v.afterEvidence(vmhost.ReasonShare, err)
	})
	m := wire.MountParams{Kind: "9p", Path: wire.FoldersDir, MSize: wire.MaxMSize}
	return v.stepFailed(ctx, v.conv.call(ctx, wire.MethodMount, m, nil))
}

// stepFailed gives an error of a call while connecting its reason.
func (v *VM) stepFailed(ctx context.Context, err error) error {
	var guest *jrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &guest):
		return &stepError{vmhost.ReasonRefused, guestError(guest)}
	case errors.Is(err, errConversationOver):
		// The supervisor finds out why: the life's end says it.
		select {
		case <-v.life.Done():
			return context.Cause(v.life)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return err
}

// guestError is an error of the guest's with what it says beside its text.
func guestError(e *jrpc2.Error) error {
	if d := errorData(e); d.Hint != "" {
		return fmt.Errorf("%w (%s)", e, d.Hint)
	}
	return e
}
