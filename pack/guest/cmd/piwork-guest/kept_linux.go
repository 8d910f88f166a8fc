package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// runKept runs a program, and ends with it everything that it started: for an agent that has
// no processes of its own by the kernel. A signal ends all of them too, and so does the end
// of whoever started this program, who has the kernel send one.
func runKept(args []string) int {
	runtime.LockOSThread() // the kernel ends the program when the thread ends that started it
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintf(os.Stderr, "piwork-guest: inherit orphans: %v\n", err)
		return 1
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	cmd := exec.Command(args[0], args[1:]...) //nolint:forbidigo,noctx // it ends with this process
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "piwork-guest: %s: %v\n", args[0], err)
		return 1
	}
	os.Stdin.Close() // its conversation ends with it
	os.Stdout.Close()
	ended := make(chan exit)
	go reapAll(ended)
	code := 1
	for waiting := true; waiting; {
		select {
		case e := <-ended:
			if waiting = e.pid != cmd.Process.Pid; !waiting {
				code = e.code
			}
		case <-stop:
			waiting = false
		}
	}
	// Who is missed since its parent ended meanwhile is a child of this process by the time
	// that this end is told.
	for more := true; more; _, more = <-ended {
		endDescendants()
	}
	return code
}

// exit is the end of a child.
type exit struct{ pid, code int }

// reapAll reaps all children, and closes the channel when there is none.
func reapAll(ended chan<- exit) {
	defer close(ended)
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return
		case status.Exited():
			ended <- exit{pid, status.ExitStatus()}
		default:
			ended <- exit{pid, 128 + int(status.Signal())}
		}
	}
}

// endDescendants ends every descendant of this process. All stop before any ends: none can
// start others meanwhile.
func endDescendants() {
	stopped := map[int]bool{}
	for news := true; news; {
		news = false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] && unix.Kill(pid, unix.SIGSTOP) == nil {
				news = true
			}
			stopped[pid] = true
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL) // nobody reaps them meanwhile but this process, which waits
	}
}

// descendants are the processes that a process started, and those that they started.
func descendants(of int) []int {
	children := map[int][]int{}
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
		fields := strings.Fields(rest) // of proc_pid_stat(5), from the third one on
		if len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, perr := strconv.Atoi(fields[1])
		if err == nil && perr == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for next := []int{of}; len(next) > 0; next = next[1:] {
		found = append(found, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return found
}
