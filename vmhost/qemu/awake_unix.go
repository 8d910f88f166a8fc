//go:build unix

package qemu

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// awake is a connection on which a reader sleeps in the kernel, and not in Go's poller,
// which takes longer to wake it.
type awake struct{ *net.UnixConn }

// KeepAwake makes the connection of a 9p device quick. It knows no deadlines then; closing
// it ends what sleeps on it.
func KeepAwake(conn net.Conn) net.Conn {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return conn
	}
	_ = u.SetWriteBuffer(foldersBuffer) // or as much of it as the system gives
	raw, err := u.SyscallConn()
	if err != nil {
		return conn
	}
	failed := err
	if err := raw.Control(func(fd uintptr) { failed = unix.SetNonblock(int(fd), false) }); err != nil || failed != nil {
		return conn // it is only slower
	}
	return awake{u}
}

// Close ends what sleeps on the connection first, which closing waits for. Who is woken so
// may be quicker to close it.
func (c awake) Close() error {
	if err := c.CloseRead(); errors.Is(err, net.ErrClosed) {
		return err
	}
	_ = c.CloseWrite()
	if err := c.UnixConn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
