package share

import (
	"os"

	"piwork/vmhost/share/internal/at"
)

// What open(2) of Linux says in its flags, as 9P2000.L and FUSE carry it
// (include/net/9p/9p.h, fuse_open_in). Both have the guest's own numbers, which
// are the same on all processors that a guest has.
const (
	forNothing = 0o3    // the access modes are 0, 1 and 2; see below
	truncates  = 0o1000 // O_TRUNC
	appends    = 0o2000 // O_APPEND
)

// OpenFor opens a file or a directory as a guest asks for it: flags are those of
// open(2) of Linux. Truncating needs a handle that may write, whatever the file is
// used for afterwards. The access mode 3, which open(2) describes under NOTES, asks
// whether one may read and write, for a file with which neither can be done.
func (t *Tree) OpenFor(rel string, flags uint32) (*File, at.Info, error) {
	flag := []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR}[flags&forNothing]
	if flags&truncates != 0 {
		if flag == os.O_RDONLY {
			flag = os.O_RDWR
		}
		flag |= os.O_TRUNC
	}
	f, i, err := t.Open(rel, flag)
	if err == nil {
		f.UseFor(flags)
	}
	return f, i, err
}

// UseFor narrows what a file is used for to what the guest opened it for with the
// flags of open(2): the host's handle may do more. It is called before the file is
// used.
func (f *File) UseFor(flags uint32) {
	f.no = []access{noWrite, noRead, 0, noRead | noWrite}[flags&forNothing]
	f.appends = Appends(flags)
}

// Appends reports whether flags of open(2) have each write go to the end of the file.
func Appends(flags uint32) bool { return flags&appends != 0 }
