//go:build unix

package share

import "syscall"

// lostDisk is how calls fail on a disk or a network drive that is gone.
var lostDisk = []syscall.Errno{syscall.EIO, syscall.ENXIO, syscall.ENODEV, syscall.ENOTCONN, syscall.ESTALE, syscall.EHOSTDOWN, syscall.ETIMEDOUT}
