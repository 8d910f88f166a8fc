//go:build !windows

package rundir

import (
	"os"
	"syscall"
)

// tellsPeers says that who connects to a socket is known.
const tellsPeers = true

// mkdirPrivate makes a directory that only this user may use.
func mkdirPrivate(dir string) error { return os.Mkdir(dir, 0o700) }

// private reports whether dir is a real directory that only this user may use.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
