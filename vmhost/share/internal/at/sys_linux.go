package at

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/online"
)

// openBelow opens rel in one step where openat2(2) is there (Linux 5.6) and no
// filter of system calls refuses it.
func openBelow(d *Dir, rel string) (*Dir, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat2(d.fd(), rel, &unix.OpenHow{
			Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
		})
		if errors.Is(err, unix.EAGAIN) { // a rename raced with the resolution
			err = unix.EINTR
		}
		return err
	})
	switch {
	case err == nil:
		return &Dir{f: os.NewFile(uintptr(fd), rel)}, nil
	case errors.Is(err, unix.EPERM): // of a filter, or of this one directory
		err = ErrUnsupported
	}
	return nil, wrap("open", rel, err)
}

const statMask = unix.STATX_BASIC_STATS | unix.STATX_BTIME

func statAt(fd int, name string) (Info, error) {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	var st unix.Statx_t
	if err := again(func() error { return unix.Statx(fd, name, flags, statMask, &st) }); err != nil {
		return Info{}, err
	}
	if overSMB(unix.Mkdev(st.Dev_major, st.Dev_minor)) { // what the client remembers is not yet what the server says
		if err := again(func() error { return unix.Statx(fd, name, flags|unix.AT_STATX_FORCE_SYNC, statMask, &st) }); err != nil {
			return Info{}, err
		}
	}
	info := Info{
		ID:     ID{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino},
		Type:   uint32(st.Mode) & typeMask,
		Mode:   uint32(st.Mode) & 0o7777,
		NLink:  uint64(st.Nlink),
		RDev:   unix.Mkdev(st.Rdev_major, st.Rdev_minor),
		Size:   int64(st.Size),
		Block:  int64(st.Blksize),
		Blocks: int64(st.Blocks),
		ATime:  statxTime(st.Atime),
		MTime:  statxTime(st.Mtime),
		CTime:  statxTime(st.Ctime),
	}
	info.Kind = kindOf(info.Type)
	info.away(info.Kind == File && online.Dir(fd, info.Size, info.Blocks))
	if st.Mask&unix.STATX_BTIME != 0 {
		info.Born = statxTime(st.Btime).UnixNano()
		info.Layered = overlaid.Load() && onOverlay(fd)
	}
	return info, nil
}

// smb has the devices that are folders of SMB servers. A server sets the time of a file when what
// was written to it has been sent and it is closed, which the client does up to a second later; until
// then the client tells times of its own.
var smb sync.Map

func overSMB(dev uint64) bool {
	_, is := smb.Load(dev)
	return is
}

// overlaid says that a Root has been on an overlayfs. Its files have devices that do not tell it.
var overlaid atomic.Bool

func onOverlay(fd int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.OVERLAYFS_SUPER_MAGIC
}

// noteDisk notes whether a Root is on an SMB server, which may be anything else than what was
// mounted with its device number before, or on an overlayfs.
func noteDisk(top *Dir) {
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Fstatfs(top.fd(), &fs) != nil || unix.Fstat(top.fd(), &st) != nil {
		return
	}
	if dev := st.Dev; uint32(fs.Type) == unix.SMB2_SUPER_MAGIC || uint32(fs.Type) == unix.CIFS_SUPER_MAGIC {
		smb.Store(dev, true)
	} else {
		smb.Delete(dev)
	}
	if fs.Type == unix.OVERLAYFS_SUPER_MAGIC {
		overlaid.Store(true)
	}
}

// CopyUp has an overlayfs copy what is at name to its upper layer, "." being the directory itself,
// as it does before any change, unless it is known; elsewhere it does nothing. Its [ID] stays what
// it is after that.
// What cannot be copied (the disk is full or read-only, or this user may neither set its times nor
// write to it) keeps the ID that it has, until a change of its names copies it.
func (d *Dir) CopyUp(name string, known func(ID) bool) {
	if !overlaid.Load() || !onOverlay(d.fd()) {
		return
	}
	info, err := statAt(d.fd(), name)
	if err != nil || known(info.ID) {
		return // the time of its inode would be another one
	}
	if info.Kind == File { // its content, too: where only attributes are copied, that would come later and change its time
		if fd, err := openAt(d.fd(), name, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0); err == nil {
			unix.Close(fd)
			return
		}
	}
	if atime, err := unix.TimeToTimespec(info.ATime); err == nil {
		ts := []unix.Timespec{atime, {Nsec: unix.UTIME_OMIT}} // the one time that says nothing of a change
		_ = again(func() error { return unix.UtimesNanoAt(d.fd(), name, ts, unix.AT_SYMLINK_NOFOLLOW) })
	}
}

// Settle has the server of a file set its times, where that is later than with a disk: what is
// known of the file after that stays so until somebody changes it.
func Settle(f *os.File) error {
	if !serverHas(f) {
		return nil
	}
	return wrap("sync", f.Name(), again(f.Sync))
}

// serverHas reports whether a file is on an SMB server.
func serverHas(f *os.File) bool {
	var st unix.Stat_t
	return again(func() error { return unix.Fstat(int(f.Fd()), &st) }) == nil && overSMB(st.Dev)
}

func statxTime(t unix.StatxTimestamp) time.Time {
	when := time.Unix(t.Sec, int64(t.Nsec)).UTC()
	if step := coarse.Load(); step > 0 {
		when = when.Truncate(time.Duration(step))
	}
	return when
}

var coarse atomic.Int64

// Coarse has all times counted in steps, as a removable disk's are, and returns what it was
// before; 0 is what the file system says. For tests.
func Coarse(step time.Duration) (before time.Duration) {
	return time.Duration(coarse.Swap(int64(step)))
}

// fchmodAt uses fchmodat2(2) (Linux 6.6), and before that a handle that opens
// nothing and its name in /proc.
func fchmodAt(fd int, name string, mode uint32) error {
	err := again(func() error { return unix.Fchmodat(fd, name, mode, unix.AT_SYMLINK_NOFOLLOW) })
	if !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	h, err := openAt(fd, name, unix.O_PATH, 0)
	if err != nil {
		return err
	}
	defer unix.Close(h)
	info, err := statAt(h, "")
	if err != nil {
		return err
	}
	if info.Kind == Symlink {
		return unix.EOPNOTSUPP
	}
	return again(func() error { return unix.Chmod("/proc/self/fd/"+strconv.Itoa(h), mode) })
}

func exchangeAt(d *Dir, name, other string) error {
	return unix.Renameat2(d.fd(), name, d.fd(), other, unix.RENAME_EXCHANGE)
}

func renameExcl(fd int, name string, to int, newName string) error {
	err := unix.Renameat2(fd, name, to, newName, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	return renameByLooking(fd, name, to, newName)
}

// onFUSE reports whether a directory is on a file system in user space. Servers of sshfs, for
// example, set times of a symbolic link of what it leads to, even outside of the Root.
func onFUSE(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Type == unix.FUSE_SUPER_MAGIC
}

// exact are the file systems that note the time of a write with it. What a server or another file
// system writes later gets another time then: NFS, SMB, FUSE, eCryptfs.
var exact = []int64{unix.EXT4_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC}

// ExactTimes reports whether the time of a file is known right after it is written, and stays
// until it is written again.
func ExactTimes(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && slices.Contains(exact, st.Type)
}

func setTimesOf(d *Dir, atime, mtime time.Time) error { return SetTimes(d.f, atime, mtime) }

// SetTimes sets the times of an open file; a zero time is left as it is.
func SetTimes(f *os.File, atime, mtime time.Time) error {
	ts, err := timespecs(atime, mtime, func() (Info, error) { return Stat(f) })
	if err != nil {
		return wrap("utimes", f.Name(), err)
	}
	return wrap("utimes", f.Name(), again(func() error {
		return unix.UtimesNanoAt(int(f.Fd()), "", ts, unix.AT_EMPTY_PATH)
	}))
}

// Clone makes dst share the blocks of src (FICLONE), or fails with
// ErrUnsupported.
func Clone(dst, src *os.File) error {
	if err := again(func() error { return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) }); err != nil {
		return ErrUnsupported
	}
	return nil
}

func syncData(f *os.File) error {
	return again(func() error { return unix.Fdatasync(int(f.Fd())) })
}

// Space says how large the file system of the Root is.
func (r *Root) Space() (Space, error) {
	var st unix.Statfs_t
	if err := again(func() error { return unix.Fstatfs(r.top.fd(), &st) }); err != nil {
		return Space{}, wrap("statfs", r.path, err)
	}
	return Space{Block: uint32(st.Bsize), Blocks: st.Blocks, Free: st.Bfree, Available: st.Bavail,
		Files: st.Files, FilesFree: st.Ffree, Dense: dense(uint32(st.Type))}, nil //nolint:gosec // a magic number of 32 bits
}

// dense knows the drivers of the kernel. Those of FUSE do not say which file system they are of.
func dense(magic uint32) bool {
	const exfat, hfs, hfsPlus = 0x2011bab0, 0x4244, 0x482b
	return magic == unix.MSDOS_SUPER_MAGIC || magic == exfat || magic == hfs || magic == hfsPlus
}

// SyncsAll says that [Root.SyncAll] can be done here.
const SyncsAll = true

func syncAll(r *Root) error {
	return again(func() error { return unix.Syncfs(r.top.fd()) })
}
