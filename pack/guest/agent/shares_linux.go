package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// unmountLimit is how long the share may take to write back before it is unmounted.
const unmountLimit = time.Minute

// Shares mounts what the host serves as a device of the machine, one share at a time.
type Shares struct {
	mu    sync.Mutex // held while mounting and unmounting
	path  string     // where something is mounted; "" is nowhere
	state bool       // it is mounted at wire.StateDir, too
}

// Mount implements Mounter.
func (s *Shares) Mount(ctx context.Context, p wire.MountParams) error {
	if !s.mu.TryLock() {
		return coded(wire.CodeBusy, errors.New("another mount is under way"))
	}
	defer s.mu.Unlock()
	if s.path != "" {
		return coded(wire.CodeExists, fmt.Errorf("the host already serves %s", s.path))
	}
	if err := MountDevice(ctx, p); err != nil {
		return coded(wire.CodeMount, err)
	}
	s.path = p.Path
	if !p.State {
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
func (s *Shares) leaveState() error {
	if !s.state {
		return nil
	}
	if err := unix.Unmount(wire.StateDir, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("unmount %s: %w", wire.StateDir, err)
	}
	s.state = false
	return nil
}

// Unmount implements Mounter.
func (s *Shares) Unmount(ctx context.Context, path string) error {
	if !s.mu.TryLock() {
		return coded(wire.CodeBusy, errors.New("another mount is under way"))
	}
	defer s.mu.Unlock()
	if path == "" || s.path != path {
		return coded(wire.CodeNotFound, fmt.Errorf("nothing is mounted on %s", path))
	}
	err := s.unmount(ctx)
	if errors.Is(err, unix.EBUSY) {
		return coded(wire.CodeBusy, err)
	}
	return coded(wire.CodeMount, err)
}

// unmount is Unmount with s.mu held and something mounted.
func (s *Shares) unmount(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, unmountLimit, errors.New("the host's file server does not answer"))
	defer cancel()
	if err := s.leaveState(); err != nil {
		return err
	}
	err := unmountDevice(ctx, s.path)
	if err == nil || ctx.Err() != nil {
		s.path = "" // also when it had to be forced
	}
	return err
}

// Close unmounts before the machine goes off.
func (s *Shares) Close(ctx context.Context) error {
	s.mu.Lock()
	path := s.path
	s.mu.Unlock()
	if path == "" {
		return nil
	}
	return s.Unmount(ctx, path)
}
