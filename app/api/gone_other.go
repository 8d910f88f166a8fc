//go:build !linux

package api

import "github.com/shirou/gopsutil/v4/process"

// gone asks the system. What it cannot say is no.
func gone(pid int) bool {
	is, err := process.PidExists(int32(pid)) //nolint:gosec // a system's own number of a process
	return err == nil && !is
}
