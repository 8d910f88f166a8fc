//go:build unix && !linux

package vm

import "syscall"

func endsWithGuest(attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }
