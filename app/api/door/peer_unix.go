//go:build !windows

package door

import "net"

// AskSocket is what a system call says of the socket of a connection.
func AskSocket(c *net.UnixConn, call func(fd int) (int, error)) (n int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	if cerr := raw.Control(func(fd uintptr) { n, err = call(int(fd)) }); cerr != nil {
		return -1, cerr
	}
	return n, err
}

// peerProcess is who is at the other end of a connection, 0 where that is not known.
func peerProcess(c net.Conn) int {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0
	}
	pid, err := AskSocket(u, peerPID)
	if err != nil {
		return 0
	}
	return pid
}
