package vm

import (
	"context"
	"fmt"
	"path/filepath"

	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// Cache is a disk that outlives its machine: what programs of one task keep for later
// ones. As the links are, it is plugged when the machine runs, so that the template knows
// nothing of it. Its file system is only ever mounted by a guest.
type Cache struct {
	// Files are qcow2 images, the topmost first. That one is written; the others are only
	// read, and may be those of other machines at the same time.
	Files   []string
	LimitMB int64 // how much may be in use, MiB: the guest keeps it, and an honest one says that the disk is full
}

func (c *Cache) check() error {
	if len(c.Files) < 2 || len(c.Files) > qemu.MaxCacheLayers {
		return fmt.Errorf("a disk of %d files", len(c.Files))
	}
	for _, f := range c.Files {
		if !filepath.IsAbs(f) {
			return fmt.Errorf("%q is not absolute", f)
		}
	}
	return c.params().Validate()
}

// params is what the guest is told.
func (c *Cache) params() wire.CacheParams {
	return wire.CacheParams{Disk: qemu.CacheSerial, LimitMB: c.LimitMB}
}

func (m linkedMachine) joinCache(ctx context.Context) error {
	if err := m.proc.PlugCache(ctx, m.cache.Files); err != nil {
		return err
	}
	return m.call(ctx, wire.MethodCache, m.cache.params(), nil)
}

// PoweredOff reports whether the guest ended by itself when the VM was closed, and QEMU
// well after it: what its programs wrote is in the files of its disks. It is false while
// the machine runs, and when it was killed.
func (v *VM) PoweredOff() bool {
	m := v.machine()
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.off
}

// shutdownByGuest is why QEMU ends when the guest has switched the machine off (ShutdownCause
// of qapi/run-state.json).
const shutdownByGuest = "guest-shutdown"
