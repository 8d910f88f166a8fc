package app

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/app/lock"
	"piwork/app/upkeep"
	"piwork/scripts/lib/smalldisk"
)

// piwork starts on a full disk, lets a person clean up there, and has room for the next time again.
func TestStartsOnAFullDisk(t *testing.T) {
	w := newWorld(t)
	small := t.TempDir()
	smalldisk.Mount(t, small, 0, "size=48m")
	w.base = small
	stop := func(c *Controller) {
		t.Helper()
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := w.open()
	put(t, filepath.Join(c.o.DataDir, machineDir, "qemu.log.1"), string(make([]byte, 1<<20)))
	stop(c)
	reserve := filepath.Join(c.o.DataDir, lock.ReserveFile)
	if _, err := os.Lstat(reserve); err != nil {
		t.Fatal(err)
	}
	filling := smalldisk.Fill(t, small)

	c = w.open()
	cleaned, err := c.CleanStorage(t.Context(), upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageLogs}})
	if err != nil || cleaned.Freed != 1<<20 {
		t.Errorf("%+v, %v", cleaned, err)
	}
	if err := os.Remove(filling); err != nil {
		t.Fatal(err)
	}
	stop(c)
	stop(w.open())
	if _, err := os.Lstat(reserve); err != nil {
		t.Error("with room again:", err)
	}
}
