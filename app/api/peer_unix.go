//go:build linux || darwin

package api

import (
	"fmt"
	"net"
	"os"
	"syscall"

	"piwork/app/api/door"
)

// checkPrivate refuses a directory that others own or can change: there a socket
// could be swapped for another one.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("directory of the socket: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ok || int(st.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user: no socket is opened in it", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("other users can change %s (mode %#o): no socket is opened in it", dir, info.Mode().Perm())
	}
	return nil
}

// checkPeer returns an error unless the other end runs as this user.
func checkPeer(c *net.UnixConn) error {
	uid, err := door.AskSocket(c, peerUID)
	if err != nil {
		return err
	}
	if uid != os.Getuid() {
		return fmt.Errorf("user %d is not the owner", uid)
	}
	return nil
}
