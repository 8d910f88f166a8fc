package relocate

import (
	"os"

	"golang.org/x/sys/unix"
)

// kindOf says what a directory lies on (statfs(2)). A disk of a FUSE program may
// be anything, and mostly is another computer.
func kindOf(dir string) (diskKind, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return diskLocal, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	switch uint32(st.Type) { //nolint:gosec // a magic number of 32 bits
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.NCP_SUPER_MAGIC:
		return diskNetwork, nil
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return diskMemory, nil
	}
	return diskLocal, nil
}

// syncFile leaves it to syncAll.
func syncFile(*os.File) error { return nil }

// syncAll makes everything on the file system of dir durable, in one go
// (syncfs(2), which reports errors since Linux 5.8).
func syncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.Syncfs(int(d.Fd())); err != nil {
		return &os.PathError{Op: "syncfs", Path: dir, Err: err}
	}
	return nil
}
