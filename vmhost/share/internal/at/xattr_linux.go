package at

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ErrNoAttr says that there is no attribute of a name.
const ErrNoAttr = unix.ENODATA

func attrFlags(flags int) int { return flags }

// openAttrs holds the file by a handle that opens nothing, and reaches its
// attributes through the name of that in /proc: calls relative to a directory
// exist from Linux 6.13 on only. A symbolic link is not followed; it has no
// attributes of users (EPERM).
func openAttrs(d *Dir, name string) (*Attrs, error) {
	fd, err := openAt(d.fd(), name, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	return &Attrs{fd: -1, path: "/proc/self/fd/" + strconv.Itoa(fd), name: name, end: func() { unix.Close(fd) }}, nil
}

// CopyAttributes copies the user's extended attributes, as far as it can.
func CopyAttributes(dst, src *os.File) {
	set, err := FileAttrs(src).All()
	if err != nil {
		return
	}
	to := FileAttrs(dst)
	for name, value := range set {
		_ = to.Set(name, value, 0)
	}
}
