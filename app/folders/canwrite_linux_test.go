package folders

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/app/chore"
)

func TestCanWrite(t *testing.T) {
	dir := t.TempDir()
	if err := CanWrite(dir); err != nil {
		t.Error(err)
	}
	if os.Getuid() == 0 {
		locked := t.TempDir()
		if err := unix.Mount("tmpfs", locked, "tmpfs", unix.MS_RDONLY, ""); err != nil {
			t.Skip("no disk can be mounted here: ", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(locked, 0) })
		if err := CanWrite(locked); !errors.Is(err, chore.ErrLocked) {
			t.Errorf("on a disk that is read-only: %v", err)
		}
		return
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := CanWrite(dir); !errors.Is(err, fs.ErrPermission) || errors.Is(err, chore.ErrLocked) {
		t.Errorf("without rights: %v", err)
	}
}
