package main

import (
	"os"
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
