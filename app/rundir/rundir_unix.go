//go:build !windows

package rundir

import (
	"os"
	"path/filepath"
	"syscall"
)

// Socket is where the API of this controller answers: in the data directory, where a
// socket's path may be so long, or here.
func (r *Dirs) Socket(dataDir string) string {
	if p := filepath.Join(dataDir, "controller.sock"); len(p) <= MaxSocketPath {
		return p
	}
	return filepath.Join(r.Base, "controller.sock")
}

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
