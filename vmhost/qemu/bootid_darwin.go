package qemu

import "golang.org/x/sys/unix"

// hostBootID identifies this boot of the computer.
func hostBootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }
