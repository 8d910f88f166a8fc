package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// PowerOff writes everything to the disks and switches the machine off with
// reboot(2). It returns only when that failed.
func PowerOff() error {
	unix.Sync()
	if err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF); err != nil {
		return fmt.Errorf("power off: %w", err)
	}
	return nil
}
