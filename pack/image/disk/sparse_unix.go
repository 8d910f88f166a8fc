//go:build unix

package disk

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// sparseFile reads a file and knows its holes (lseek(2), SEEK_DATA).
type sparseFile struct{ *os.File }

func (f sparseFile) NextData(off int64) (int64, error) {
	at, err := f.Seek(off, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return 0, io.EOF
	case errors.Is(err, unix.EINVAL):
		return off, nil // a file system that does not know
	}
	return at, err
}
