package setup

import "golang.org/x/sys/unix"

// hostRelease is the version of the running kernel: a proof is of no worth
// after it changed.
func hostRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Version[:])
}
