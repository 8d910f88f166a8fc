//go:build unix

package template

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nextData returns where the next bytes are that are no hole, -1 when there are
// none. File systems without the question have no holes.
func nextData(f *os.File, at int64) int64 {
	next, err := unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return -1
	case err != nil:
		return at
	}
	return next
}

// allocated is what a file takes on the disk, in bytes.
func allocated(fi fs.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return fi.Size()
}
