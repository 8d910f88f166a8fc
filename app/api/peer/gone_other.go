//go:build !linux

package peer

import "github.com/shirou/gopsutil/v4/process"

// Gone asks the system. What it cannot say is no.
func Gone(pid int) bool {
	is, err := process.PidExists(int32(pid)) //nolint:gosec // a system's own number of a process
	return err == nil && !is
}
