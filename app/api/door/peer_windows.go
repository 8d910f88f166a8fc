package door

import (
	"net"

	"golang.org/x/sys/windows"
)

// peerProcess is who is at the other end of a named pipe, 0 where that is not known.
func peerProcess(c net.Conn) int {
	pipe, ok := c.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	var pid uint32
	if err := windows.GetNamedPipeClientProcessId(windows.Handle(pipe.Fd()), &pid); err != nil {
		return 0
	}
	return int(pid)
}
