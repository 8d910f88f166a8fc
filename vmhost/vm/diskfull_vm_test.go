//go:build vm && linux

package vm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// A small file system takes the VM's disk: when it is full, the VM fails by
// that name, and neither the guest nor QEMU goes on with a broken disk. Only
// root may mount one.
func TestHostDiskFullForReal(t *testing.T) {
	tier.Rest(t, "TestDiskIsFullBeforeTheRestore")
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small file system")
	}
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "size=24m"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	c := realConfig(t)
	c.Dir = filepath.Join(small, "vm")
	t.Cleanup(func() { // after the VM's own
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	v := realConnected(t, c)
	ctx, cancel := context.WithTimeout(context.Background(), stall)
	defer cancel()
	began := time.Now()
	obs, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "head -c 100000000 /dev/urandom > /work/large; sync; sleep 60"}}})
	var e *vmhost.FailedError
	if !errors.As(err, &e) || e.Reason != vmhost.ReasonDiskFull {
		t.Fatalf("Execute: %+v %v", obs.Exec, err)
	}
	t.Logf("after %v: %v", time.Since(began), e)
}
