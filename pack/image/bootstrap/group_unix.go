//go:build unix

package bootstrap

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a process group.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the leader and its children to end: mmdebstrap waits for its
// hook before it hears a signal.
func endGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }
