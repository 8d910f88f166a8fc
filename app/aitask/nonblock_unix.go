//go:build unix

package aitask

import "syscall"

// nonBlocking has an open not wait for the other end of a FIFO.
const nonBlocking = syscall.O_NONBLOCK
