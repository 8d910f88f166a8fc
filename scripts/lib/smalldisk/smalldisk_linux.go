// Package smalldisk gives tests a file system in memory with little room, or one that is
// read-only.
package smalldisk

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Mount mounts one at dir until the test ends, with options of tmpfs(5): "size=24m" for one.
// Only root may.
func Mount(t testing.TB, dir string, flags uintptr, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small file system")
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags|unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// Fill writes a file in dir until the disk is full.
func Fill(t testing.TB, dir string) (file string) {
	t.Helper()
	file = filepath.Join(dir, "filling")
	f, err := os.Create(file)
	for err == nil {
		_, err = f.Write(bytes.Repeat([]byte("x"), 64<<10))
	}
	if err = errors.Join(err, f.Close()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return file
}
