package boot

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// maxErrors bounds what is kept of a boot that goes wrong everywhere.
const maxErrors = 32

// Log collects when boot steps were done and which failed. Its methods may be
// called from several goroutines at once.
type Log struct {
	// Print is called for every failed step with a line for the console. It
	// may be nil.
	Print func(line string)

	mu     sync.Mutex
	marks  map[string]uint64
	errors []string
}

// Mark notes that a step is done now, in ms of CLOCK_BOOTTIME.
func (l *Log) Mark(step string) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.marks == nil {
		l.marks = make(map[string]uint64)
	}
	l.marks[step] = uint64(ts.Nano() / 1e6)
}

// Fail notes that a step failed; a nil err does nothing.
func (l *Log) Fail(step string, err error) {
	if err == nil {
		return
	}
	line := fmt.Sprintf("%s: %v", step, err)
	l.mu.Lock()
	if len(l.errors) < maxErrors {
		l.errors = append(l.errors, line)
	}
	l.mu.Unlock()
	if l.Print != nil {
		l.Print(line)
	}
}

// Marks returns a copy of the marks so far, in ms since the kernel's clock
// began.
func (l *Log) Marks() map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.marks)
}

// Errors returns the failed steps so far, oldest first.
func (l *Log) Errors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.errors)
}
