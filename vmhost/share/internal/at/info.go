package at

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"time"
)

// MaxName is the longest name in bytes that is accepted, NAME_MAX of every
// file system that matters.
const MaxName = 255

// ErrSpecial says that a name is a device, a FIFO or a socket.
var ErrSpecial = errors.New("neither a file nor a directory")

// ErrName says that a name is not a single component.
var ErrName = errors.New("not a single name")

// ErrLink says that a name is a symbolic link where none may be.
var ErrLink = errors.New("is a symbolic link")

// ErrUnsupported says that the host or its file system cannot do something.
var ErrUnsupported = errors.ErrUnsupported

// Kind is what a name stands for.
type Kind uint8

// Kinds of things in a directory.
const (
	Unknown Kind = iota // the directory did not say; ask Lstat
	File
	Directory
	Symlink
	Special // device, FIFO, socket
)

// String returns the word that records use.
func (k Kind) String() string {
	switch k {
	case File:
		return "file"
	case Directory:
		return "dir"
	case Symlink:
		return "symlink"
	case Special:
		return "special"
	}
	return "unknown"
}

// ID says which inode something is, as well as its file system can. What each promises:
//
//   - ext4, XFS, Btrfs, F2FS, tmpfs, APFS, HFS+, NTFS: a number that stays, and the time of its
//     birth. Linux gives a number out again after a removal; the birth keeps the two apart.
//   - FAT, exFAT: Linux makes up the numbers at each mount. Births stay, in steps of 10 ms.
//   - FUSE, NFS, and SMB where the server says no births: a number, which may be made up at
//     each mount. Born is 0.
//   - overlayfs: what is in the lower layer gets another birth, and perhaps another number and
//     device, when it is copied to the upper one before its first change; names of one file become
//     files of their own then (without an index). So [Dir.CopyUp] comes before an ID that
//     is to be known later. After it the birth stays. The number may be another one whenever
//     nobody has it open: of directories, where the layers are on two file systems, and
//     of files, where the lower one gives out no file handles, as several images of squashfs together.
//   - Volumes that a program serves on Windows (WinFsp): another volume with each mount.
//
// Dev holds for as long as the file system stays mounted.
type ID struct {
	Dev     uint64 `json:"d"`
	Ino     uint64 `json:"i"`
	Born    int64  `json:"b,omitempty"` // ns since 1970; 0 where the file system does not know it
	Layered bool   `json:"l,omitempty"` // on overlayfs, and known by Born alone
}

// Same reports whether now is what id was, when its file system may have been mounted
// again since. The number decides, but for what is Layered, and on FAT and exFAT: Linux makes up
// numbers at each mount, and everywhere two sticks may have the same ones. There births decide
// where they are known. Windows does not say them, but which volume it is.
//
// The top of a disk with FAT is known badly, which is why whole disks are not shared where a
// desktop mounts them: the top of any FAT disk is the same, having no birth; that of exFAT
// is born anew with each mount, and refused.
func (id ID) Same(now ID) bool { return id.sameOn(runtime.GOOS, now) }

func (id ID) sameOn(system string, now ID) bool {
	const step, second = 1e7, 1e9 // HFS+ counts in seconds
	steps := func(born int64) bool { return born%step == 0 && born%second != 0 }
	switch {
	case system == "windows" && id.Dev != now.Dev:
		return false // a volume keeps its serial number
	case system != "linux" && id.Ino == now.Ino && !(steps(id.Born) && steps(now.Born)):
		return true // a birth moves when an earlier time is set
	}
	born := id.Born != 0 && now.Born != 0
	if born && id.Born != now.Born {
		return false
	}
	return born && (id.Born%step == 0 || id.Layered) || id.Ino == now.Ino
}

// Other reports whether now is certainly something else than id was; of a zero id nobody knows.
// Neither does anybody where a file system of Linux keeps no births, as those of FUSE: it may
// make up its numbers at each mount. One of the two with a birth is on another file system:
// on the disk of the mount point, for example, when nothing is mounted there.
func (id ID) Other(now ID) bool {
	unknown := id == (ID{}) || numbersReturn && id.Born == 0 && now.Born == 0
	return !unknown && !id.Same(now)
}

// numbersReturn says that the number of what was deleted is given to something else. APFS gives
// none again, and that of NTFS counts how often.
const numbersReturn = runtime.GOOS == "linux"

// Info is what stat(2) says.
type Info struct {
	ID
	Kind   Kind
	Type   uint32 // the S_IFMT bits as in Linux
	Mode   uint32 // permission bits, 07777
	NLink  uint64
	RDev   uint64
	Size   int64
	Block  int64 // preferred I/O size, bytes
	Blocks int64 // allocated, in 512 bytes
	Online bool  // a file whose content is with a cloud service: reading it downloads it (package online)
	ATime  time.Time
	MTime  time.Time
	CTime  time.Time
}

// Coarse reports whether the times are of a file system that may give several changes the
// same one, such as FAT, which counts in 2 s, and exFAT, in 10 ms: that they are equal proves
// nothing, and the content has to be compared where its hash is known.
func (i Info) Coarse() bool { return i.MTime.Nanosecond()%1e7 == 0 && i.CTime.Nanosecond()%1e7 == 0 }

// away notes whether the content of a file is with a cloud service. Its blocks are those that it
// has when it is here: a file without any is taken for a hole, and read as zeros.
func (i *Info) away(online bool) {
	if i.Online = online; online {
		i.Blocks = (i.Size + 511) / 512
	}
}

// Linux file types as they stand in Info.Type.
const (
	typeMask = 0o170000
	typeReg  = 0o100000
	typeDir  = 0o040000
	typeLink = 0o120000
)

func kindOf(t uint32) Kind {
	switch t & typeMask {
	case typeReg:
		return File
	case typeDir:
		return Directory
	case typeLink:
		return Symlink
	}
	return Special
}

// CheckName returns ErrName unless name is one component that every method
// here accepts: not empty, not "." or "..", without separators or NUL, at most
// MaxName bytes.
func CheckName(name string) error {
	if name == "" || name == "." || name == ".." || len(name) > MaxName ||
		strings.IndexByte(name, '/') >= 0 || strings.IndexByte(name, 0) >= 0 || !systemName(name) {
		return ErrName
	}
	return nil
}

// wrap says what failed, unless err does.
func wrap(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(*fs.PathError); ok { //nolint:errorlint // only the outermost would be doubled
		return err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
