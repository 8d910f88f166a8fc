package verity

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// control is the device mapper's device.
const control = "/dev/mapper/control"

// dmVersion is the oldest interface that has what is used here; any newer
// kernel of the same major version takes it (dm-ioctl.h).
var dmVersion = [3]uint32{4, 0, 0}

// Open makes a read-only device on which every block of the disk is checked,
// and returns its node in /dev. name identifies it among the mapped devices.
func Open(name, disk string, p Params) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	size, err := diskSize(disk)
	if err != nil {
		return "", fmt.Errorf("verity: %w", err)
	}
	if want := p.blocks() * BlockSize; size < want {
		return "", fmt.Errorf("%w: %s has %d bytes of %d", ErrDamaged, disk, size, want)
	}
	fd, err := unix.Open(control, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("verity: %s: %w", control, err)
	}
	defer unix.Close(fd)
	dev, err := call(fd, unix.DM_DEV_CREATE, name, 0, "", 0)
	if err != nil {
		return "", fmt.Errorf("verity: DM_DEV_CREATE %s: %w", name, err)
	}
	length := uint64(p.DataBlocks * (BlockSize / sector))
	if _, err = call(fd, unix.DM_TABLE_LOAD, name, unix.DM_READONLY_FLAG, p.table(disk), length); err != nil {
		err = fmt.Errorf("verity: DM_TABLE_LOAD %s: %w", name, err)
	} else if _, err = call(fd, unix.DM_DEV_SUSPEND, name, 0, "", 0); err != nil { // without its flag: resume
		err = fmt.Errorf("verity: DM_DEV_SUSPEND %s: %w", name, err)
	}
	if err != nil {
		_, _ = call(fd, unix.DM_DEV_REMOVE, name, 0, "", 0)
		return "", err
	}
	return fmt.Sprintf("/dev/dm-%d", unix.Minor(dev)), nil // devtmpfs has made it
}

// request is struct dm_ioctl, followed by one target and its parameters.
type request struct {
	head   unix.DmIoctl
	target unix.DmTargetSpec
	params [1024]byte
}

// call does one ioctl on the device of that name, with a target when params is
// not empty, and returns the device's number.
func call(fd int, cmd uintptr, name string, flags uint32, params string, sectors uint64) (uint64, error) {
	var r request
	if len(name) >= len(r.head.Name) || len(params) >= len(r.params) {
		return 0, unix.ENAMETOOLONG
	}
	r.head.Version = dmVersion
	r.head.Data_size = uint32(unsafe.Sizeof(r))
	r.head.Data_start = uint32(unsafe.Offsetof(r.target))
	r.head.Flags = flags
	copy(r.head.Name[:], name)
	if params != "" {
		r.head.Target_count = 1
		r.target.Length = sectors
		copy(r.target.Target_type[:], "verity")
		copy(r.params[:], params)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), cmd, uintptr(unsafe.Pointer(&r))); errno != 0 {
		return 0, errno
	}
	return r.head.Dev, nil
}

// diskSize is the length of a block device, in bytes.
func diskSize(disk string) (int64, error) {
	f, err := os.Open(disk)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.Seek(0, 2)
}
