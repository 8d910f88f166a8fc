// Package peer says who is at the other end of a socket of this computer: as which user, and
// which process, as far as the system tells.
package peer

import "net"

// askSocket is what a system call says of the socket of a connection.
func askSocket(c *net.UnixConn, call func(fd int) (int, error)) (n int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	if cerr := raw.Control(func(fd uintptr) { n, err = call(int(fd)) }); cerr != nil {
		return -1, cerr
	}
	return n, err
}

// Process is who is at the other end of a connection, 0 where that is not known.
func Process(c net.Conn) int {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0
	}
	pid, err := askSocket(u, processOf)
	if err != nil {
		return 0
	}
	return pid
}
