package door

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// getPeerPID is SIO_AF_UNIX_GETPEERPID of afunix.h.
const getPeerPID = windows.IOC_OUT | windows.IOC_VENDOR | 256 // 0x58000100

// peerPID asks Winsock. It says how many bytes it wrote, which some versions say wrong.
func peerPID(fd int) (int, error) {
	var pid, n uint32
	err := windows.WSAIoctl(windows.Handle(fd), getPeerPID, nil, 0, (*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &n, nil, 0)
	return int(pid), err
}
