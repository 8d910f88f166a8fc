//go:build vm && linux

package vm

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"piwork/scripts/lib/smalldisk"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// A small file system takes the VM's disk: when it is full, the VM fails by
// that name, and neither the guest nor QEMU goes on with a broken disk.
func TestHostDiskFullForReal(t *testing.T) {
	tier.Rest(t, "TestDiskIsFullBeforeTheRestore")
	small := t.TempDir()
	smalldisk.Mount(t, small, 0, "size=24m")
	c := realConfig(t)
	c.Dir = filepath.Join(small, "vm")
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
