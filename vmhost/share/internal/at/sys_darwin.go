package at

import (
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/online"
)

// openBelow would open rel in one step.
func openBelow(*Dir, string) (*Dir, error) { return nil, ErrUnsupported }

func statAt(fd int, name string) (Info, error) {
	var st unix.Stat_t
	err := again(func() error {
		if name == "" {
			return unix.Fstat(fd, &st)
		}
		return unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return Info{}, err
	}
	info := Info{
		ID:     ID{Dev: uint64(uint32(st.Dev)), Ino: st.Ino, Born: time.Unix(st.Btim.Unix()).UnixNano()},
		Type:   uint32(st.Mode) & typeMask,
		Mode:   uint32(st.Mode) & 0o7777,
		NLink:  uint64(st.Nlink),
		RDev:   uint64(uint32(st.Rdev)),
		Size:   st.Size,
		Block:  int64(st.Blksize),
		Blocks: st.Blocks,
		ATime:  time.Unix(st.Atim.Unix()).UTC(),
		MTime:  time.Unix(st.Mtim.Unix()).UTC(),
		CTime:  time.Unix(st.Ctim.Unix()).UTC(),
	}
	info.Kind = kindOf(info.Type)
	info.away(info.Kind == File && online.OfDarwin(st.Flags))
	return info, nil
}

func fchmodAt(fd int, name string, mode uint32) error {
	return again(func() error { return unix.Fchmodat(fd, name, mode, unix.AT_SYMLINK_NOFOLLOW) })
}

func exchangeAt(d *Dir, name, other string) error {
	return unix.RenameatxNp(d.fd(), name, d.fd(), other, unix.RENAME_SWAP)
}

func renameExcl(fd int, name string, to int, newName string) error {
	err := unix.RenameatxNp(fd, name, to, newName, unix.RENAME_EXCL)
	if !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return renameByLooking(fd, name, to, newName)
}

// onFUSE is of Linux.
func onFUSE(int) bool { return false }

// noteDisk is of Linux.
func noteDisk(*Dir) {}

// CopyUp is of Linux.
func (*Dir) CopyUp(string, func(ID) bool) {}

func serverHas(*os.File) bool { return false }

// Settle does nothing here.
func Settle(*os.File) error { return nil }

// setTimesOf sets the times of a directory. SetTimes knows no more than microseconds.
func setTimesOf(d *Dir, atime, mtime time.Time) error {
	ts, err := timespecs(atime, mtime, d.Info)
	if err != nil {
		return wrap("utimes", d.f.Name(), err)
	}
	return wrap("utimes", d.f.Name(), again(func() error { return unix.UtimesNanoAt(d.fd(), ".", ts, 0) }))
}

// SetTimes sets the times of an open file; a zero time is left as it is.
func SetTimes(f *os.File, atime, mtime time.Time) error {
	atime, mtime, err := bothTimes(atime, mtime, func() (Info, error) { return Stat(f) })
	if err != nil {
		return err
	}
	tv := []unix.Timeval{unix.NsecToTimeval(atime.UnixNano()), unix.NsecToTimeval(mtime.UnixNano())}
	return wrap("utimes", f.Name(), again(func() error { return unix.Futimes(int(f.Fd()), tv) }))
}

// Clone makes dst share the blocks of src, or fails with ErrUnsupported. The
// call of this system makes a new file and takes none that is open.
func Clone(dst, src *os.File) error { return ErrUnsupported }

// CopyAttributes copies all extended attributes, those of the system too, as
// far as it can.
func CopyAttributes(dst, src *os.File) {
	list := make([]byte, 64<<10)
	n, err := unix.Flistxattr(int(src.Fd()), list)
	if err != nil {
		return
	}
	value := make([]byte, 64<<10)
	for start, i := 0, 0; i < n; i++ {
		if list[i] != 0 {
			continue
		}
		name := string(list[start:i])
		start = i + 1
		if n, err := unix.Fgetxattr(int(src.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(dst.Fd()), name, value[:n], 0)
		}
	}
}

// syncData does more than fsync(2) of this system, which leaves data in the drive:
// os.File.Sync asks the drive too.
func syncData(f *os.File) error { return f.Sync() }

// Space says how large the file system of the Root is.
func (r *Root) Space() (Space, error) {
	var st unix.Statfs_t
	if err := again(func() error { return unix.Fstatfs(r.top.fd(), &st) }); err != nil {
		return Space{}, wrap("statfs", r.path, err)
	}
	return Space{Block: st.Bsize, Blocks: st.Blocks, Free: st.Bfree, Available: st.Bavail,
		Files: st.Files, FilesFree: st.Ffree, Dense: slices.Contains(dense, unix.ByteSliceToString(st.Fstypename[:]))}, nil
}

// SyncsAll says that [Root.SyncAll] can be done here.
const SyncsAll = false

// ExactTimes reports whether the time of a file is known right after it is written, and stays
// until it is written again.
func ExactTimes(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && unix.ByteSliceToString(st.Fstypename[:]) == "apfs"
}

var dense = []string{"hfs", "msdos", "exfat"}

func syncAll(*Root) error { return ErrUnsupported }
