package at

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"piwork/vmhost/share/online"
)

// Stat returns what an open file is.
func Stat(f *os.File) (Info, error) {
	fi, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	info := fromFileInfo(fi)
	var h windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &h); err != nil {
		return info, wrap("stat", f.Name(), err)
	}
	// An index of NTFS has a sequence number in it. The time of creation does not
	// tell more: it is kept when a name is made anew ("tunneling"), and can be set.
	info.ID = ID{Dev: uint64(h.VolumeSerialNumber), Ino: uint64(h.FileIndexHigh)<<32 | uint64(h.FileIndexLow)}
	info.NLink = uint64(h.NumberOfLinks)
	switch {
	case info.Kind == File:
		info.Online = online.OfWindows(h.FileAttributes)
		if h.FileAttributes&windows.FILE_ATTRIBUTE_SPARSE_FILE != 0 && !info.Online {
			info.Blocks = writtenBlocks(f, info.Blocks)
		}
	case fi.Mode().Type() == fs.ModeIrregular:
		if file, away := online.Handle(windows.Handle(f.Fd())); file {
			info.Type, info.Kind, info.Online = typeReg, File, away
		}
	}
	info.ATime = time.Unix(0, h.LastAccessTime.Nanoseconds()).UTC()
	return info, nil
}

// writtenBlocks is how many blocks a file has that a program asked to have holes; unknown is the answer of
// file systems that do not say.
func writtenBlocks(f *os.File, unknown int64) int64 {
	var c struct { // FILE_COMPRESSION_INFO (winbase.h)
		size int64
		_    [8]byte
	}
	if windows.GetFileInformationByHandleEx(windows.Handle(f.Fd()), windows.FileCompressionInfo, (*byte)(unsafe.Pointer(&c)), uint32(unsafe.Sizeof(c))) != nil {
		return unknown
	}
	return (c.size + 511) / 512
}

// ExactTimes is false: a file gets the time of a write when its handle is closed or synced.
func ExactTimes(*os.File) bool { return false }

func fromFileInfo(fi fs.FileInfo) Info {
	info := Info{
		Mode:  uint32(fi.Mode().Perm()),
		NLink: 1,
		Size:  fi.Size(),
		Block: 4096,
		MTime: fi.ModTime().UTC(),
		CTime: fi.ModTime().UTC(),
		ATime: fi.ModTime().UTC(),
	}
	info.Blocks = (info.Size + 511) / 512
	switch {
	case fi.Mode().IsRegular():
		info.Type = typeReg
	case fi.IsDir():
		info.Type = typeDir
	case fi.Mode()&fs.ModeSymlink != 0:
		info.Type = typeLink
	}
	info.Kind = kindOf(info.Type)
	return info
}

// fileLink is FILE_RENAME_INFORMATION and FILE_LINK_INFORMATION up to the name
// (ntifs.h): a target directory by handle and a name in it.
type fileLink struct {
	Flags          uint32
	RootDirectory  windows.Handle
	FileNameLength uint32
}

// Information classes of NtSetInformationFile and their flags (wdm.h).
const (
	fileRenameInformation   = 10
	fileRenameInformationEx = 65
	fileLinkInformationEx   = 72
	flagReplace             = 0x1
	flagPOSIX               = 0x2
)

func renameAt(d *Dir, name string, to *Dir, newName string) error {
	return setName(d, name, to, newName, fileRenameInformationEx, flagPOSIX|flagReplace, windows.DELETE)
}

func exchangeAt(*Dir, string, string) error { return ErrUnsupported }

func renameNoReplace(d *Dir, name string, to *Dir, newName string) error {
	return setName(d, name, to, newName, fileRenameInformationEx, flagPOSIX, windows.DELETE)
}

func linkAt(d *Dir, name string, to *Dir, newName string) error {
	return setName(d, name, to, newName, fileLinkInformationEx, 0, windows.FILE_WRITE_ATTRIBUTES)
}

func setName(d *Dir, name string, to *Dir, newName string, class uint32, flags, access uint32) error {
	h, err := openHandle(d, name, access)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	u, err := windows.UTF16FromString(newName)
	if err != nil {
		return err
	}
	u = u[:len(u)-1]
	head := unsafe.Offsetof(fileLink{}.FileNameLength) + 4
	buf := make([]byte, head+uintptr(len(u))*2+8)
	link := (*fileLink)(unsafe.Pointer(&buf[0]))
	link.Flags = flags
	link.RootDirectory = windows.Handle(to.f.Fd())
	link.FileNameLength = uint32(len(u) * 2)
	for i, c := range u {
		buf[head+uintptr(i)*2] = byte(c)
		buf[head+uintptr(i)*2+1] = byte(c >> 8)
	}
	var status windows.IO_STATUS_BLOCK
	err = windows.NtSetInformationFile(h, &status, &buf[0], uint32(len(buf)), class)
	if class == fileRenameInformationEx && unknownClass(err) {
		// The older class has the same form; its one flag is a byte, ReplaceIfExists.
		link.Flags = flags &^ flagPOSIX
		err = windows.NtSetInformationFile(h, &status, &buf[0], uint32(len(buf)), fileRenameInformation)
	}
	return plainError(err)
}

// unknownClass reports that a file system, such as FAT or one of a network drive, does not
// know the extended class, or its POSIX semantics.
func unknownClass(err error) bool {
	return slices.ContainsFunc([]windows.NTStatus{
		windows.STATUS_NOT_SUPPORTED, windows.STATUS_NOT_IMPLEMENTED, windows.STATUS_INVALID_PARAMETER,
		windows.STATUS_INVALID_INFO_CLASS, windows.STATUS_INVALID_DEVICE_REQUEST,
	}, func(s windows.NTStatus) bool { return errors.Is(err, s) })
}

func openHandle(d *Dir, name string, access uint32) (windows.Handle, error) {
	u, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return 0, err
	}
	attributes := windows.OBJECT_ATTRIBUTES{
		RootDirectory: windows.Handle(d.f.Fd()),
		ObjectName:    u,
		Attributes:    windows.OBJ_DONT_REPARSE,
	}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	var h windows.Handle
	var status windows.IO_STATUS_BLOCK
	err = windows.NtCreateFile(&h, access|windows.SYNCHRONIZE, &attributes, &status, nil, 0,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, windows.FILE_OPEN,
		windows.FILE_OPEN_REPARSE_POINT|windows.FILE_SYNCHRONOUS_IO_NONALERT|windows.FILE_OPEN_FOR_BACKUP_INTENT, 0, 0)
	return h, plainError(err)
}

// plainError is the error of the Win32 API that a status stands for.
func plainError(err error) error {
	if status, is := errors.AsType[windows.NTStatus](err); is {
		return status.Errno()
	}
	return err
}

// SetMode sets the permission bits of an open file.
func SetMode(f *os.File, mode uint32) error { return f.Chmod(fs.FileMode(mode & 0o777)) }

// SetTimes sets the times of an open file; a zero time is left as it is.
func SetTimes(f *os.File, atime, mtime time.Time) error {
	var a, m *windows.Filetime
	if !atime.IsZero() {
		t := windows.NsecToFiletime(atime.UnixNano())
		a = &t
	}
	if !mtime.IsZero() {
		t := windows.NsecToFiletime(mtime.UnixNano())
		m = &t
	}
	return wrap("utimes", f.Name(), windows.SetFileTime(windows.Handle(f.Fd()), nil, a, m))
}

// Clone makes dst share the blocks of src, or fails with ErrUnsupported.
func Clone(dst, src *os.File) error { return ErrUnsupported }

// CopyAttributes copies extended attributes; this system's are not copied.
func CopyAttributes(dst, src *os.File) {}

func syncData(f *os.File) error { return syncFile(f) }

var reOpenFile = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReOpenFile")

// syncFile flushes a file through a handle that may write, which FlushFileBuffers asks
// for. A file that nobody may write to has none: it was flushed by whoever wrote it.
func syncFile(f *os.File) error {
	err := f.Sync()
	if !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, _, why := reOpenFile.Call(f.Fd(), windows.GENERIC_WRITE, share, 0)
	switch {
	case windows.Handle(h) != windows.InvalidHandle:
		return errors.Join(windows.FlushFileBuffers(windows.Handle(h)), windows.CloseHandle(windows.Handle(h)))
	case errors.Is(why, windows.ERROR_ACCESS_DENIED):
		return nil
	}
	return why
}

// Space says how large the file system of the Root is. A file of NTFS has holes only where a
// program asked for them (FSCTL_SET_SPARSE), which this one never does.
func (r *Root) Space() (Space, error) {
	p, err := windows.UTF16PtrFromString(r.path)
	if err != nil {
		return Space{}, err
	}
	var available, total, free uint64
	if err := windows.GetDiskFreeSpaceEx(p, &available, &total, &free); err != nil {
		return Space{}, wrap("statfs", r.path, err)
	}
	const block = 4096
	return Space{Block: block, Blocks: total / block, Free: free / block, Available: available / block, Dense: true}, nil
}

// IsFull reports whether there was no room on the disk, or no more for this user.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// SyncsAll says that [Root.SyncAll] can be done here.
const SyncsAll = false

func syncAll(*Root) error { return ErrUnsupported }

func noteDisk(*Dir) {}

// CopyUp is of Linux.
func (*Dir) CopyUp(string, func(ID) bool) {}

// Settle does nothing here.
func Settle(*os.File) error { return nil }
