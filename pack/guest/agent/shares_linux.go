package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/port"
	"piwork/pack/guest/pump"
	"piwork/vmhost/wire"
)

// How long the host's file server may take to answer a mount, and the share to
// write back before it is unmounted.
const (
	mountLimit   = time.Minute
	unmountLimit = time.Minute
	warmLimit    = 10 * time.Second // for a mount without a host
)

// Shares mounts what the host serves, on piwork.fs or as a device: one share at a
// time, since one 9P conversation is all that the port carries.
type Shares struct {
	Config pump.Config

	mu    sync.Mutex // held while mounting and unmounting
	mount share      // nil without one
	path  string     // of mount
	state bool       // it is mounted at wire.StateDir, too
	next  *pump.Pump // waits for the next mount
}

// share is what is mounted: *pump.Mount or a device.
type share interface {
	Done() <-chan struct{} // closed when it is not mounted any more
	Unmount(context.Context) error
}

// usual is mounted before it is known what a task mounts.
var usual = wire.MountParams{Kind: wire.Kind9P, Path: wire.FoldersDir, MSize: wire.MaxMSize}

// Warm mounts the folders before there is a host, or at least starts the pump
// of the next mount. A machine without the port has no use for either.
func (s *Shares) Warm(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mount != nil || s.next.Mounted() {
		return nil
	}
	next, err := s.pump()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, warmLimit, errors.New("the pump does not answer"))
	defer cancel()
	if err := next.Early(ctx, usual); err != nil {
		s.Config.Report(fmt.Errorf("not mounted early: %w", err))
		s.next = nil
		_, err = s.pump()
		return err
	}
	return nil
}

// Drop takes away what Warm mounted: the task has no folders. What a host serves
// stays.
func (s *Shares) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// drop is Drop with s.mu held.
func (s *Shares) drop() {
	if s.next.Mounted() {
		s.next.End()
		s.next = nil
	}
}

// pump returns a pump that waits.
func (s *Shares) pump() (*pump.Pump, error) {
	if s.next != nil {
		select {
		case <-s.next.Done():
			s.next.End()
		default:
			return s.next, nil
		}
	}
	device, err := port.Find(wire.PortFS)
	if err == nil {
		s.next, err = pump.Start(s.Config, device)
	}
	return s.next, err
}

// Mount implements Mounter.
func (s *Shares) Mount(ctx context.Context, p wire.MountParams) error {
	if !s.mu.TryLock() {
		return coded(wire.CodeBusy, errors.New("another mount is under way"))
	}
	defer s.mu.Unlock()
	if s.mount != nil {
		select {
		case <-s.mount.Done():
		default:
			return coded(wire.CodeExists, fmt.Errorf("the host already serves %s", s.path))
		}
	}
	if err := s.leaveState(unix.MNT_DETACH); err != nil { // of a share that died
		return coded(wire.CodeMount, err)
	}
	state := p.State
	p.State = false // that it has one is none of the pump's business
	how := s.mountPort
	if _, device := deviceKinds[p.Kind]; device {
		s.drop() // it would be in the way
		how = mountDevice
	}
	m, err := how(ctx, p)
	if err != nil {
		return coded(wire.CodeMount, err)
	}
	s.mount, s.path = m, p.Path
	if !state {
		return nil
	}
	if err := bindState(p.Path); err != nil {
		err = errors.Join(err, s.unmount(ctx))
		return coded(wire.CodeMount, err)
	}
	s.state = true
	return nil
}

// bindState has the state of a share at its own place, too.
func bindState(path string) error {
	from := filepath.Join(path, wire.StateName)
	if err := os.MkdirAll(wire.StateDir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(from, wire.StateDir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount the state: %w", err)
	}
	err := unix.Mount("", wire.StateDir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_NOSUID|unix.MS_NODEV, "")
	if err != nil {
		err = errors.Join(fmt.Errorf("mount the state: %w", err), unix.Unmount(wire.StateDir, unix.MNT_DETACH))
	}
	return err
}

// leaveState takes the state away from its own place; s.mu is held.
func (s *Shares) leaveState(flags int) error {
	if !s.state {
		return nil
	}
	if err := unix.Unmount(wire.StateDir, flags); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("unmount %s: %w", wire.StateDir, err)
	}
	s.state = false
	return nil
}

// mountPort mounts what the host serves on the port.
func (s *Shares) mountPort(ctx context.Context, p wire.MountParams) (share, error) {
	next, err := s.pump()
	if err != nil {
		return nil, err
	}
	s.next = nil
	ctx, cancel := context.WithTimeoutCause(ctx, mountLimit, errors.New("the host's file server does not answer"))
	defer cancel()
	m, err := next.Mount(ctx, p)
	if errors.Is(err, pump.ErrAnew) {
		s.Config.Report(err)
		if next, err = s.pump(); err == nil {
			s.next = nil
			m, err = next.Mount(ctx, p)
		}
	}
	return m, err
}

// Unmount implements Mounter.
func (s *Shares) Unmount(ctx context.Context, path string) error {
	if !s.mu.TryLock() {
		return coded(wire.CodeBusy, errors.New("another mount is under way"))
	}
	defer s.mu.Unlock()
	if s.mount == nil || s.path != path {
		return coded(wire.CodeNotFound, fmt.Errorf("nothing is mounted on %s", path))
	}
	err := s.unmount(ctx)
	if errors.Is(err, unix.EBUSY) {
		return coded(wire.CodeBusy, err)
	}
	return coded(wire.CodeMount, err)
}

// unmount is Unmount with s.mu held and a mount.
func (s *Shares) unmount(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, unmountLimit, errors.New("the host's file server does not answer"))
	defer cancel()
	if err := s.leaveState(0); err != nil {
		return err
	}
	err := s.mount.Unmount(ctx)
	if err == nil || ctx.Err() != nil {
		s.mount = nil // also when it had to be forced
	}
	return err
}

// Close unmounts before the machine goes off.
func (s *Shares) Close(ctx context.Context) error {
	s.mu.Lock()
	m, path, next := s.mount, s.path, s.next
	s.next = nil
	s.mu.Unlock()
	if next != nil {
		next.End()
	}
	if m == nil {
		return nil
	}
	return s.Unmount(ctx, path)
}
