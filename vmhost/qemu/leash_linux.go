package qemu

import (
	"os/exec"
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

// attach also sees to it that the guest's memory never goes to a core file.
func (leash) attach(pid int) error {
	return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}

func (leash) release() {}
