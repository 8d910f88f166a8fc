package setup

import "golang.org/x/sys/unix"

// hostRelease is the version of the running kernel: a proof is of no worth
// after it changed.
func hostRelease() string {
	release, err := unix.Sysctl("kern.osrelease")
	if err != nil {
		return ""
	}
	return release
}
