package at

import (
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoAttr says that there is no attribute of a name.
const ErrNoAttr = unix.ENOATTR

// attrFlags translates the flags of Linux to those of <sys/xattr.h>.
func attrFlags(flags int) int {
	out := 0
	if flags&AttrCreate != 0 {
		out |= unix.XATTR_CREATE
	}
	if flags&AttrReplace != 0 {
		out |= unix.XATTR_REPLACE
	}
	return out
}

func openAttrs(d *Dir, name string) (*Attrs, error) {
	f, _, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &Attrs{fd: int(f.Fd()), name: name, end: func() { f.Close() }}, nil
}
