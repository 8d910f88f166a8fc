package qemu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/digitalocean/go-qemu/qmp"
)

// ErrNoPlace says that a machine has no place left for what was to be plugged.
var ErrNoPlace = errors.New("the machine has no place left for it")

// plugged is what a running machine was given, with its connection to QEMU.
type plugged struct {
	number int // of the port, 0 for what is none
	conn   net.Conn
}

// plugs is all that a running machine was given, by name.
type plugs struct {
	mu  sync.Mutex
	all map[string]plugged
}

// add notes what is plugged under a name, which must be free.
func (p *plugs) add(name string, x plugged) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.all[name]; taken {
		return fmt.Errorf("%w: there is one already", ErrNoPlace)
	}
	p.all[name] = x
	return nil
}

func (p *plugs) get(name string) plugged {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[name]
}

// connected notes the connection of what is plugged under a name.
func (p *plugs) connected(name string, conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[name] = plugged{p.all[name].number, conn}
}

// remove forgets what is plugged under a name and closes its connection.
func (p *plugs) remove(name string) {
	p.mu.Lock()
	x := p.all[name]
	delete(p.all, name)
	p.mu.Unlock()
	if x.conn != nil {
		_ = x.conn.Close()
	}
}

// close closes all connections.
func (p *plugs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.all {
		if x.conn != nil {
			_ = x.conn.Close()
		}
	}
}

// freePort is the lowest number from first on that no port has, 0 when there is none.
func (p *plugs) freePort(first int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := first; n < maxPorts; n++ {
		taken := false
		for _, x := range p.all {
			taken = taken || x.number == n
		}
		if !taken {
			return n
		}
	}
	return 0
}

// portDevice is a virtio-serial port with a number.
func portDevice(number int, name, id string) options {
	return options{{"", "virtserialport"}, {"id", id}, {"bus", "ports.0"}, {"nr", number}, {"chardev", id}, {"name", name}}
}

// plugID names a port that is plugged, and its connection.
func plugID(number int) string { return "plug" + strconv.Itoa(number) }

// chardevBackend is a chardev for a socket as QMP has it (chardev).
func (s Spec) chardevBackend(id, socket string) map[string]any {
	backend := map[string]any{"type": "socket", "data": map[string]any{
		"addr": map[string]any{"type": "unix", "data": map[string]any{"path": socket}}, "server": false,
	}}
	if s.Host == "windows" {
		backend = map[string]any{"type": "pipe", "data": map[string]any{"device": PipeName(socket)}}
	}
	return map[string]any{"id": id, "backend": backend}
}

// PlugPort gives a running machine one more virtio-serial port, by the name that
// the guest sees, and returns its connection, which goes over a socket as those of
// Spec.Ports do; it is closed in Stop, too. The guest finds the port a little
// later. The error is ErrNoPlace when the machine has all the ports that it can,
// or one of that name; after any error it goes on without.
func (p *Process) PlugPort(ctx context.Context, name, socket string) (conn net.Conn, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, plugTime, errors.New("QEMU does not answer"))
	defer cancel()
	number := 0
	if len(p.spec.Ports) > 0 { // there is a bus for it
		number = p.plugs.freePort(len(p.spec.Ports) + 1)
	}
	if number == 0 || slices.ContainsFunc(p.spec.Ports, func(o Port) bool { return o.Name == name }) {
		return nil, fmt.Errorf("plug the port %s: %w", name, ErrNoPlace)
	}
	if err := p.plugs.add(name, plugged{number: number}); err != nil {
		return nil, fmt.Errorf("plug the port %s: %w", name, err)
	}
	id := plugID(number)
	defer func() {
		if err != nil {
			p.plugs.remove(name)
			err = fmt.Errorf("plug the port %s: %w", name, err)
		}
	}()
	conn, err = p.connectNew(ctx, socket, qmp.Command{Execute: "chardev-add", Args: p.spec.chardevBackend(id, socket)})
	if err != nil {
		return nil, err
	}
	p.plugs.connected(name, conn)
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_add", Args: portDevice(number, name, id).arguments()}, nil); err != nil {
		_ = p.monitor.Do(ctx, qmp.Command{Execute: "chardev-remove", Args: map[string]any{"id": id}}, nil)
		return nil, err
	}
	return conn, nil
}

// connectNew has QEMU make a connection and accepts it. On Windows it waits for
// us before it answers, elsewhere the other way round.
func (p *Process) connectNew(ctx context.Context, socket string, cmd qmp.Command) (net.Conn, error) {
	ends, err := listen(ctx, Spec{Ports: []Port{{Socket: socket}}})
	if err != nil {
		return nil, err
	}
	accepting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conns := map[string]net.Conn{}
	accepted := make(chan error, 1)
	go func() { accepted <- p.accept(accepting, ends, conns) }()
	err = p.monitor.Do(ctx, cmd, nil)
	if err != nil {
		cancel(err)
	}
	if err = errors.Join(err, <-accepted); err != nil {
		for _, c := range conns {
			_ = c.Close()
		}
		return nil, err
	}
	return conns[socket], nil
}

// UnplugPort takes a port away that was plugged, and closes its connection; one
// that is not there is no error.
func (p *Process) UnplugPort(ctx context.Context, name string) error {
	x := p.plugs.get(name)
	if x.number == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, plugTime, errors.New("QEMU does not answer"))
	defer cancel()
	id := plugID(x.number)
	args := map[string]any{"id": id}
	// A device that an earlier try took away is not there any more; its connection is.
	err := p.deleteDevice(ctx, id)
	if rerr := p.monitor.Do(ctx, qmp.Command{Execute: "chardev-remove", Args: args}, nil); rerr != nil {
		return fmt.Errorf("unplug the port %s: %w", name, errors.Join(err, rerr))
	}
	p.plugs.remove(name)
	return nil
}

// deleteDevice takes a device away and waits until it is gone: before that its
// connection is in use.
func (p *Process) deleteDevice(ctx context.Context, id string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := p.monitor.Events(ctx)
	if err != nil {
		return err
	}
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_del", Args: map[string]any{"id": id}}, nil); err != nil {
		return err
	}
	for e := range events {
		if e.Event == "DEVICE_DELETED" && e.Data["device"] == id {
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return ErrMonitorClosed
}

// networkID names the network card and its connection.
const networkID = "net"

// cardPlug is the card among what is plugged; no port is named so.
const cardPlug = "/card"

// networkPortID is where the card is plugged on aarch64 (layerPort).
const networkPortID = "net-port"

func networkPort() options {
	return options{{"", "pcie-root-port"}, {"id", networkPortID}, {"bus", "pcie.0"}, {"addr", fmt.Sprintf("0x%x", slotNetwork)}, {"chassis", MaxLayers + 2}}
}

// networkBackend is a connection that carries frames, each behind its length in 4
// bytes, big-endian (net/stream.c of QEMU).
func networkBackend(socket string) map[string]any {
	return map[string]any{
		"type": "stream", "id": networkID, "server": false, "addr": map[string]any{"type": "unix", "path": socket},
	}
}

// networkCard is the card. Nothing boots from it: it needs no ROM.
func (s Spec) networkCard(mac net.HardwareAddr) options {
	bus, slot := "pci.0", slotNetwork
	if s.Image.Arch == "aarch64" {
		bus, slot = networkPortID, 0
	}
	return deviceAt("virtio-net-pci", bus, slot, option{"id", networkID + "-card"}, option{"netdev", networkID}, option{"mac", mac.String()}, option{"romfile", ""})
}

// PlugNetwork gives a running machine a network card with an address, and returns
// the connection that carries its frames, each behind its length in 4 bytes,
// big-endian; it is closed in Stop, too. The guest finds the card a little later.
// The error is ErrNoPlace when there is a card; after any error the machine goes
// on without. A connection that ends leaves a card whose cable is pulled.
func (p *Process) PlugNetwork(ctx context.Context, mac net.HardwareAddr, socket string) (conn net.Conn, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, plugTime, errors.New("QEMU does not answer"))
	defer cancel()
	if err := p.plugs.add(cardPlug, plugged{}); err != nil {
		return nil, fmt.Errorf("plug the network: %w", err)
	}
	defer func() {
		if err != nil {
			p.plugs.remove(cardPlug)
			err = fmt.Errorf("plug the network: %w", err)
		}
	}()
	away := qmp.Command{Execute: "netdev_del", Args: map[string]any{"id": networkID}}
	conn, err = acceptPlugged(ctx, p.monitor, socket, qmp.Command{Execute: "netdev_add", Args: networkBackend(socket)}, away)
	if err != nil {
		return nil, err
	}
	p.plugs.connected(cardPlug, conn)
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_add", Args: p.spec.networkCard(mac).arguments()}, nil); err != nil {
		_ = p.monitor.Do(ctx, away, nil)
		return nil, err
	}
	return conn, nil
}

// acceptPlugged has QEMU connect to a socket by a command, and returns the connection.
// Nobody else can connect then. On Windows, too, it is a socket: QEMU's network knows no
// pipe there. After an error nothing is left of the command, for which is undo.
func acceptPlugged(ctx context.Context, m *Monitor, socket string, cmd, undo qmp.Command) (net.Conn, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("listen for QEMU: %w", err)
	}
	defer l.Close()
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, fmt.Errorf("listen for QEMU: %w", err)
	}
	if err := m.Do(ctx, cmd, nil); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	conn, err := l.Accept() // QEMU has connected by itself
	if err == nil {
		return conn, nil
	}
	_ = m.Do(ctx, undo, nil)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, err
}
