package qemu

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// leash ties QEMU's life to this program's. On Linux the kernel kills QEMU
// when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG), so it has
// to be started and waited for on one locked thread. os/exec checks for a
// parent that died in between.
type leash struct{}

func newLeash(cmd *exec.Cmd) (leash, error) {
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		Setpgid:   true, // an interrupt in the terminal is for this program, which then stops QEMU
	}
	return leash{}, nil
}

// oomScore makes QEMU the first to end when this computer has no memory left:
// its task can be done again, what a person has open elsewhere perhaps not
// (proc_pid_oom_score_adj(5)).
const oomScore = "500"

// attach also sees to it that the guest's memory never goes to a core file.
func (leash) attach(pid int) error {
	// A system that does not let it be said ends whom it likes.
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte(oomScore), 0)
	return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}

func (leash) release() {}
