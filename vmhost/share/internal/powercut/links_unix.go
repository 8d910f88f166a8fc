//go:build unix

package powercut

import (
	"io/fs"
	"syscall"
)

// several reports whether a file has more than one name.
func several(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
