package door

import "golang.org/x/sys/unix"

// peerPID is LOCAL_PEERPID of unix(4).
func peerPID(fd int) (int, error) {
	return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}
