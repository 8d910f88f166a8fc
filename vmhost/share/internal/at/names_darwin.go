package at

import (
	"path"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemName refuses names that are no UTF-8, which APFS does not have
// (EILSEQ), whatever file system is mounted.
func systemName(name string) bool { return utf8.ValidString(name) }

// Of <sys/fcntl.h>.
const (
	openEventOnly = 0x8000   // O_EVTONLY
	openSymlink   = 0x200000 // O_SYMLINK
)

// ownName asks the system: APFS and HFS+ find a file by other cases and by other
// normal forms of its name too (composed and decomposed).
func ownName(d *Dir, name string) string {
	fd, err := openAt(d.fd(), name, openEventOnly|openSymlink|unix.O_CLOEXEC, 0)
	if err != nil {
		return name
	}
	defer unix.Close(fd)
	var buf [unix.PathMax]byte
	if _, _, no := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_GETPATH, uintptr(unsafe.Pointer(&buf[0]))); no != 0 {
		return name
	}
	own := path.Base(unix.ByteSliceToString(buf[:]))
	// Another link of the same file may be what the system names.
	if !sameName(own, name) {
		return name
	}
	return own
}
