package landlock

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/scripts/lib/memdir"
)

// The first version, which forbids moves between directories, is none.
func TestUsable(t *testing.T) {
	for _, tt := range []struct {
		version, want int
		errno         unix.Errno
	}{{0, 0, unix.ENOSYS}, {0, 0, unix.EOPNOTSUPP}, {1, 0, 0}, {2, 2, 0}, {6, 6, 0}, {9, 9, 0}} {
		if got := usable(tt.version, tt.errno); got != tt.want {
			t.Errorf("version %d (%v): %d", tt.version, tt.errno, got)
		}
	}
}

// Rules are as far as a version knows, and a file is moved between directories that a thread
// may change, whatever the version.
func TestVersions(t *testing.T) {
	const files = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rights := Rights{Files: files, Network: unix.LANDLOCK_ACCESS_NET_BIND_TCP, Scopes: unix.LANDLOCK_SCOPE_SIGNAL}
	has := Version()
	for version := 2; version <= max(has, Scopes); version++ {
		if known := rights.of(version); (known.Files&unix.LANDLOCK_ACCESS_FS_TRUNCATE != 0) != (version >= 3) ||
			(known.Network != 0) != (version >= 4) || (known.Files&unix.LANDLOCK_ACCESS_FS_IOCTL_DEV != 0) != (version >= 5) || (known.Scopes != 0) != (version >= 6) {
			t.Errorf("version %d: %+v", version, known)
		}
	}
	for version := 0; version <= has; version++ {
		if version == 1 {
			continue
		}
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
			if err := os.Rename(filepath.Join(open, "a/f"), filepath.Join(open, "b/f")); err != nil {
				t.Errorf("version %d: %v", version, err)
			}
			if err := os.WriteFile(filepath.Join(shut, "f"), nil, 0o600); (err == nil) != (version == 0) {
				t.Errorf("version %d: a file outside: %v", version, err)
			}
		}()
		<-done
	}
}
