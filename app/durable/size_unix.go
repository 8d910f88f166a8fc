//go:build !windows

package durable

import (
	"io/fs"
	"syscall"
)

// OnDisk is what a file takes: one with holes less than its size.
func OnDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(info.Size(), st.Blocks*512)
	}
	return info.Size()
}
