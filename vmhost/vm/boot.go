package vm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/digitalocean/go-qemu/qmp"

	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// spec describes the machine to QEMU. Every machine that can become a template
// or comes from one has the 9p device for folders, used or not.
func (m *machine) spec(folders bool) qemu.Spec {
	s := qemu.Spec{
		Host: runtime.GOOS, Image: m.Image, Accel: m.Accel, CPU: m.CPU, MemoryMB: m.MemoryMB, CPUs: m.CPUs,
		Name:    "piwork-" + filepath.Base(m.dir),
		Console: filepath.Join(m.runDir, "console.sock"),
		Ports:   []qemu.Port{{Name: wire.PortRPC, Socket: filepath.Join(m.runDir, "rpc.sock")}},
		Overlay: m.overlay,
	}
	if folders && !m.Image.Limits.No9PDevice {
		s.Folders = filepath.Join(m.runDir, "9p.sock")
	}
	return s
}

// start starts QEMU, with the next CPU model when it dies on one, and begins
// the conversation. The guest reads the host's first words when it is up.
func (m *machine) start(ctx context.Context, spec qemu.Spec) error {
	models := []string{m.CPU}
	if m.CPU == "" {
		models = qemu.Ladder(m.Accel, m.Image.Arch)
	}
	var p *qemu.Process
	var err error
	for i, cpu := range models {
		spec.CPU = cpu
		o := qemu.StartOptions{Spec: spec, LogDir: m.dir, OnEvent: m.event}
		if m.ram != nil {
			o.RAM = m.ram.File()
		}
		p, err = qemu.Start(ctx, o)
		if _, is := errors.AsType[*qemu.ExitError](err); err == nil || !is || i == len(models)-1 {
			break
		}
		m.log.Warn("QEMU does not start with this CPU model", "accel", m.Accel, "cpu", cpu, "err", err)
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.proc = p
	m.mu.Unlock()
	m.conv = conversation.Begin(p.Port(wire.PortRPC), m.clock, m.timing.write, m.log)
	m.parts.Go(m.supervise)
	return nil
}

// event hears QMP's events.
func (m *machine) event(e qmp.Event) {
	// With werror=enospc QEMU pauses a machine whose disk cannot grow.
	if full, _ := e.Data["nospace"].(bool); e.Event == "BLOCK_IO_ERROR" && full {
		go m.fail(vmhost.ReasonDiskFull, errors.New("no space on this computer for the VM's disk"))
	}
}

// sayHello opens the conversation and checks that both sides speak alike.
func (m *machine) sayHello(ctx context.Context) error {
	h, err := m.conv.Hello(ctx, m.AppVersion)
	if err != nil {
		return m.explain(ctx, err)
	}
	m.heardHello(h)
	return nil
}

// heardHello remembers how the agent introduced itself.
func (m *machine) heardHello(h wire.Hello) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hello = h
}

// can tells whether the guest said that it can do something.
func (m *machine) can(what string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.hello.Capabilities, what)
}

// knows checks that the guest can do what this task needs beyond what every guest
// can: an older one is refused by the name of what it lacks.
func (m *machine) knows(w wants) error {
	for what, needed := range map[string]bool{
		wire.CanMountState: w.state, wire.CanGateway: w.links.gateway != nil, wire.CanNetwork: w.links.nic != nil,
		wire.CanCache: w.links.cache != nil, wire.CanAuthority: w.links.nic != nil && len(w.links.nic.Authority) > 0,
	} {
		if needed && !m.can(what) {
			return lacks(what)
		}
	}
	return nil
}

// lacks is the error of a guest that is too old for a task.
func lacks(what string) error {
	return &stepError{reason: vmhost.ReasonVersion, err: fmt.Errorf("the guest cannot do %q: the runtime is older than this task needs", what)}
}

// warmParams are those of the tasks to come.
func warmParams() wire.WarmParams {
	p := wire.WarmParams{Hostname: hostname, Locale: locale, TimeZone: vmhost.HostHints().TimeZone}
	if p.Validate() != nil {
		p.TimeZone = "" // a name from this system that is none
	}
	return p
}

// prepare makes the guest a task's own; mount may be nil.
func (m *machine) prepare(ctx context.Context, addOns []qemu.Layer, mount *wire.MountParams) error {
	names := warmParams()
	p := wire.PrepareParams{
		UnixNano: m.clock.Wall().UnixNano(), Entropy: make([]byte, 2*wire.MinEntropy),
		Hostname: names.Hostname, Locale: names.Locale, TimeZone: names.TimeZone, Layers: layers(addOns), Mount: mount,
	}
	if _, err := rand.Read(p.Entropy); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if err := m.call(ctx, wire.MethodPrepare, p, nil); err != nil {
		return err
	}
	return nil
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

// fileServer serves folders on a connection until that ends or ctx does.
type fileServer func(ctx context.Context, conn io.ReadWriteCloser) error

// serve begins to serve the folders on a connection. That they are not any more is
// the end of the machine.
func (m *machine) serve(fs fileServer, conn io.ReadWriteCloser) {
	m.parts.Go(func() {
		err := fs(m.life, conn)
		if m.life.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("the file server ended")
		}
		m.afterEvidence(vmhost.ReasonShare, err)
	})
}
