//go:build unix && !darwin

package share

// isSystem reports whether path belongs to the operating system. Mount points
// below /run/media and temporary directories do not, nor does what lies in
// /home; /home itself holds everybody's files.
func isSystem(path string) bool {
	if inAny(path, "/run/media", "/var/tmp") {
		return false
	}
	return path == "/home" || path == "/tmp" || path == "/media" || path == "/mnt" ||
		inAny(path, "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr", "/var", "/snap", "/opt")
}
