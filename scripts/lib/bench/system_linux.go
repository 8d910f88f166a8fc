package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// peakMemory is the largest resident size of a process that ended, in bytes
// (getrusage(2)).
func peakMemory(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}

// sharedRAM is how the memory of a machine with a device is called (memfd_create(2)).
const sharedRAM = "/memfd:piwork-ram"

// sharedOf is how much of such memory a process has, in MiB.
func sharedOf(pid int) float64 {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	seen := map[uint64]bool{}
	total := 0.0
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err != nil || !strings.HasPrefix(target, sharedRAM) {
			continue
		}
		var st syscall.Stat_t
		if syscall.Stat(fd, &st) == nil && !seen[st.Ino] {
			seen[st.Ino] = true
			total += float64(st.Blocks) * 512 / (1 << 20)
		}
	}
	return total
}
