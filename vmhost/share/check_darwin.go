package share

import "path/filepath"

// isSystem reports whether path belongs to the operating system. /private/var
// holds the temporary directories of users, /Volumes the other disks.
func isSystem(path string) bool {
	if inAny(path, "/private/var/folders", "/private/tmp") {
		return path == "/private/tmp"
	}
	return path == "/Users" || path == "/Volumes" ||
		inAny(path, "/System", "/Library", "/Applications", "/bin", "/cores", "/dev", "/etc", "/opt", "/private", "/sbin", "/usr", "/var")
}

// isDiskRoot reports whether path is a whole disk.
func isDiskRoot(path string) bool { return path == "/" || filepath.Dir(path) == "/Volumes" }
