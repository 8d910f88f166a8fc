package background

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach gives a command no console, so that Ctrl-C in one and closing it do not reach it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}
