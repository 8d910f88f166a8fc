//go:build unix && !linux

package qemu

import (
	"os/exec"
	"syscall"
)

// leash ties QEMU's life to this program's. These systems know no signal for
// the death of a parent: a reaper does it.
type leash struct{ *reaper }

func newLeash(cmd *exec.Cmd) (leash, error) {
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, err := startReaper()
	return leash{r}, err
}
