package folders

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/app/chore"
	"piwork/scripts/lib/smalldisk"
)

func TestCanWrite(t *testing.T) {
	dir := t.TempDir()
	if err := CanWrite(dir); err != nil {
		t.Error(err)
	}
	if os.Getuid() == 0 {
		locked := t.TempDir()
		smalldisk.Mount(t, locked, unix.MS_RDONLY, "")
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
