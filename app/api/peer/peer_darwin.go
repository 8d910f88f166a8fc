package peer

import "golang.org/x/sys/unix"

// userOf is LOCAL_PEERCRED of unix(4).
func userOf(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// processOf is LOCAL_PEERPID of unix(4).
func processOf(fd int) (int, error) {
	return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}
