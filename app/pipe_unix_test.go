//go:build !windows

package app

import "syscall"

func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
