package operate

import "golang.org/x/sys/windows"

const (
	nonBlock = 0
	noFollow = 0

	otherDevice = windows.ERROR_NOT_SAME_DEVICE
)
