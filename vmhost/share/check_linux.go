package share

import (
	"os"
	"path/filepath"
	"syscall"
)

// isSystem reports whether path belongs to the operating system. Disks that
// desktops mount and temporary directories do not; /home and its like hold
// everybody's files.
func isSystem(path string) bool {
	if inAny(path, "/run/media", "/var/tmp") || inAny(path, "/run/user") && filepath.Dir(path) != "/run/user" && path != "/run/user" {
		return path == "/run/media" || path == "/var/tmp"
	}
	return path == "/home" || path == "/tmp" || path == "/media" || path == "/mnt" ||
		inAny(path, "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr", "/var", "/snap", "/opt")
}

// isDiskRoot reports whether path is a whole disk: the root, or where a desktop
// mounts a removable one.
func isDiskRoot(path string) bool {
	if path == "/" {
		return true
	}
	return inAny(path, "/media", "/run/media", "/mnt") && device(path) != device(filepath.Dir(path))
}

func device(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Dev
}
