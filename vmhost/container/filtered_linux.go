package container

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// filterTime is how long the first process of a container has to get its filter of system
// calls: the engine gives it that last, and may answer before.
const filterTime = 2 * time.Second

// isFiltered refuses a container whose first process has no filter of system calls, as the
// kernel says: Podman calls its filter the default one when it was told to have none
// (containers.conf). Of an engine in a machine, or on another computer, there is its word only.
func (p *place) isFiltered(ctx context.Context) error {
	pid, err := p.firstProcess(ctx)
	if err != nil || pid <= 0 {
		return err // one that ended says why elsewhere
	}
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		switch {
		case err != nil || !unfiltered(string(status)):
			return nil
		case time.Since(began) > filterTime:
			return unsupported("anything: the engine filters no system calls (seccomp)")
		}
	}
}

// unfiltered tells whether a status (proc_pid_status(5)) is that of the first process of some
// process namespace, and not of an unrelated one with the same number, without a filter.
func unfiltered(status string) bool {
	first, mode := false, ""
	for line := range strings.Lines(status) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "NSpid":
			f := strings.Fields(value)
			first = len(f) > 1 && f[len(f)-1] == "1"
		case "Seccomp":
			mode = strings.TrimSpace(value)
		}
	}
	return first && mode == "0"
}
