//go:build !windows

package background

import (
	"os/exec"
	"syscall"
)

// detach makes a command the leader of a session of its own, without a terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
