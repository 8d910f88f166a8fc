//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endTogether has the end of a command's context end what the command started, too:
// go test alone would leave the tests running.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
