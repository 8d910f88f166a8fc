package share

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// lostDisk is how calls fail on a disk or a network drive that is gone.
var lostDisk = []syscall.Errno{
	windows.ERROR_NOT_READY, windows.ERROR_IO_DEVICE, windows.ERROR_DEV_NOT_EXIST, windows.ERROR_NO_SUCH_DEVICE, windows.ERROR_DEVICE_NOT_CONNECTED, windows.ERROR_DEVICE_REMOVED,
	windows.ERROR_BAD_NETPATH, windows.ERROR_BAD_NET_NAME, windows.ERROR_NETNAME_DELETED, windows.ERROR_UNEXP_NET_ERR, windows.ERROR_SEM_TIMEOUT,
}
