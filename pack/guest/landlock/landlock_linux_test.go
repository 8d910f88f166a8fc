package landlock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/scripts/lib/memdir"
)

// The first version, which forbids moves between directories, is none unless somebody wants it.
func TestMoving(t *testing.T) {
	for version, want := range []int{0, 0, 2, 3, 4, 5, 6} {
		if got := Moving(version); got != want {
			t.Errorf("version %d: %d", version, got)
		}
	}
}

// Rules are as far as a version knows, and a file is moved between directories that a thread
// may change, but by the first version.
func TestVersions(t *testing.T) {
	const files = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rights := Rights{Files: files, Network: unix.LANDLOCK_ACCESS_NET_BIND_TCP, Scopes: unix.LANDLOCK_SCOPE_SIGNAL}
	has := Kernel()
	for version := 1; version <= max(has, Scopes); version++ {
		if known := rights.of(version); (known.Files&unix.LANDLOCK_ACCESS_FS_REFER != 0) != (version >= 2) || (known.Files&unix.LANDLOCK_ACCESS_FS_TRUNCATE != 0) != (version >= 3) ||
			(known.Network != 0) != (version >= 4) || (known.Files&unix.LANDLOCK_ACCESS_FS_IOCTL_DEV != 0) != (version >= 5) || (known.Scopes != 0) != (version >= 6) {
			t.Errorf("version %d: %+v", version, known)
		}
	}
	for version := 0; version <= has; version++ {
		dir := memdir.Disk(t)
		open, shut := filepath.Join(dir, "open"), filepath.Join(dir, "shut")
		for _, d := range []string{filepath.Join(open, "a"), filepath.Join(open, "b"), shut} {
			if err := os.MkdirAll(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlock: the thread is restricted
			rules, err := New(version, rights)
			if err != nil {
				t.Error(err)
				return
			}
			defer rules.Close()
			if err := rules.Allow(open, files); err != nil {
				t.Error(err)
			}
			if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
				t.Error(err)
			}
			if err := rules.Restrict(); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(filepath.Join(open, "a/f"), []byte("x"), 0o600); err != nil {
				t.Error(err)
			}
			if err := os.Rename(filepath.Join(open, "a/f"), filepath.Join(open, "b/f")); version == 1 && !errors.Is(err, unix.EXDEV) || version != 1 && err != nil {
				t.Errorf("version %d: %v", version, err)
			}
			if err := os.WriteFile(filepath.Join(shut, "f"), nil, 0o600); (err == nil) != (version == 0) {
				t.Errorf("version %d: a file outside: %v", version, err)
			}
		}()
		<-done
	}
}
