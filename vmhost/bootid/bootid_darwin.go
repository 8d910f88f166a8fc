package bootid

import "golang.org/x/sys/unix"

// ID identifies this boot of the computer.
func ID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }
