package hosted

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"piwork/pack/guest/authority"
	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/wire"
)

// Door is the network of a place that has none but its own loopback: a proxy of this computer
// at a socket that is shown to the place, and that its agent passes programs on to. What it lets
// out is up to who serves it (vmhost/network).
type Door struct {
	Serve     func(ctx context.Context, l net.Listener) error // until ctx ends
	Authority []byte                                          // that programs are to believe, PEM; nil without
	OnEnd     func(error)                                     // hears that it is served no more, too early; may be nil
}

// doorName is the socket in its directory.
const doorName = "door"

// doorTime is how long whoever serves it has to end.
const doorTime = 10 * time.Second

// Open serves the door in a directory, which is made, for programs whose root is in root. end
// ends that and removes the directory. A nil Door opens nothing.
func (d *Door) Open(dir, root string, log *slog.Logger) (end func() error, err error) {
	if d == nil {
		return func() error { return nil }, nil
	}
	// The directory that this one is in keeps everybody else away; in the place programs may be
	// another user.
	if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	if len(d.Authority) > 0 {
		if err := authority.BelieveBeside(root, dir, string(d.Authority)); err != nil {
			return nil, errors.Join(err, remove())
		}
	}
	at, err := os.Open(dir) // paths of sockets are short
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	defer at.Close()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join("/proc/self/fd", strconv.Itoa(int(at.Fd())), doorName)})
	if err == nil {
		l.SetUnlinkOnClose(false)
		err = os.Chmod(filepath.Join(dir, doorName), 0o666)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for programs that use the network: %w", err), remove())
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := d.Serve(ctx, l); ctx.Err() == nil {
			log.Warn("the network of a place ended", "err", err)
			if d.OnEnd != nil {
				d.OnEnd(err)
			}
		}
	}()
	return func() error {
		cancel()
		_ = l.Close()
		select {
		case <-served:
		case <-time.After(doorTime):
			return errors.Join(errors.New("the network is still served"), remove())
		}
		return remove()
	}, nil
}

// Params have an agent pass programs on to the door, whose directory is at dir in the place; nil
// for a nil Door.
func (d *Door) Params(dir string) *wire.NetworkParams {
	if d == nil {
		return nil
	}
	return &wire.NetworkParams{Door: dir + "/" + doorName, Authority: string(d.Authority)}
}

// Networks are those of a place that has all of them with a door, and none without.
func (d *Door) Networks() []vmhost.NetworkPolicy {
	if d == nil {
		return []vmhost.NetworkPolicy{vmhost.NetworkDeny}
	}
	return []vmhost.NetworkPolicy{vmhost.NetworkRestricted, vmhost.NetworkAllow}
}

// EveryNetwork are the networks of kinds of places that can have a door.
var EveryNetwork = []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow}

// openNetwork has the agent lead programs to the network.
func (r *Runtime) openNetwork(ctx context.Context) error {
	if r.cfg.Network == nil {
		return nil
	}
	if !slices.Contains(r.Hello().Capabilities, wire.CanDoor) {
		return &vmhost.FailedError{Runtime: r.cfg.Capabilities.Name, Reason: vmhost.ReasonVersion, Err: errors.New("the agent of the installed runtime has no network in such a place")}
	}
	err := r.within(ctx, func(ctx context.Context) error { return r.conv.Ask(ctx, wire.MethodNetwork, *r.cfg.Network, nil) })
	if refused, is := errors.AsType[*conversation.RefusedError](err); is {
		return &vmhost.UnsupportedError{Runtime: r.cfg.Capabilities.Name, What: "network: the place does not see where piwork listens: " + refused.Error()}
	}
	return err
}
