package vm

import "syscall"

// endsWithGuest has a program of a fake guest end when QEMU is killed, as in a machine.
func endsWithGuest(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr.Pdeathsig = syscall.SIGKILL
	return attr
}
