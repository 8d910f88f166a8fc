package execution

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxSweeps is how often a session is looked through for processes that were started
// meanwhile.
const maxSweeps = 100

// killSession ends every process of the session that sid leads, whatever its process group.
// It is for a place without cgroups; what made a session of its own is ended with the
// place. The leader is not reaped yet, so that sid means no other session.
func killSession(sid int) {
	unix.Kill(-sid, unix.SIGKILL)
	for range maxSweeps {
		if !sweepSession(sid) {
			return
		}
	}
}

// sweepSession kills those who live, and reports whether there were any.
func sweepSession(sid int) (found bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !livesIn(pid, sid) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0) // from here on the process is the same
		if err != nil {
			continue
		}
		if livesIn(pid, sid) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil {
			found = true
		}
		unix.Close(fd)
	}
	return found
}

// livesIn reads /proc/pid/stat (proc_pid_stat(5)): pid (comm) state ppid pgrp session.
func livesIn(pid, sid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	return len(fields) > 3 && string(fields[0]) != "Z" && string(fields[0]) != "X" && string(fields[3]) == strconv.Itoa(sid)
}
