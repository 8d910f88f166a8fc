package execution

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// limitProcess sets the resource limits that the launcher would have.
func limitProcess(pid int, l Limits) error {
	if l.FileSize > 0 {
		n := uint64(l.FileSize)
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}, nil); err != nil {
			return err
		}
	}
	if l.CPU <= 0 {
		return nil
	}
	used, err := cpuOf(pid)
	if err != nil {
		return err
	}
	n := cpuSeconds(used + l.CPU)
	return unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: n, Max: n + 1}, nil)
}

// cpuOf is the processor time that a process used, from the clock of its pid
// (clock_getcpuclockid(3)).
func cpuOf(pid int) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &ts); err != nil {
		return 0, fmt.Errorf("processor time of a process: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}
