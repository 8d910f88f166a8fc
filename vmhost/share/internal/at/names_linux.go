package at

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// systemName accepts every name: here they are bytes.
func systemName(string) bool { return true }

// ownName differs from name on file systems of Windows only (vfat, CIFS): there a file
// is found by its short name (8.3) too, which no directory lists.
func ownName(d *Dir, name string) string {
	if !isShort(name) || listsAll(d.fd()) {
		return name
	}
	return ownNameOf(d, name)
}

// ownNameOf looks for name in the directory, and then for the same file by another name.
func ownNameOf(d *Dir, name string) string {
	info, err := d.Lstat(name)
	if err != nil {
		return name
	}
	listed := false
	err = d.eachName(func(part []string) bool {
		listed = slices.Contains(part, name)
		return !listed
	})
	if err != nil || listed {
		return name
	}
	own := name
	_ = d.eachName(func(part []string) bool {
		i := slices.IndexFunc(part, func(n string) bool {
			other, err := d.Lstat(n)
			return err == nil && other.ID == info.ID
		})
		if i >= 0 {
			own = part[i]
		}
		return i < 0
	})
	return own
}

// listsAll reports whether a directory is on a file system on which a file has no other names than
// those in the list. What it does not know, such as FUSE, may be one of Windows behind it.
func listsAll(fd int) bool {
	const zfs = 0x2fc12fc1
	var st unix.Statfs_t
	if err := again(func() error { return unix.Fstatfs(fd, &st) }); err != nil {
		return false
	}
	return slices.Contains([]uint32{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC, zfs}, uint32(st.Type)) //nolint:gosec // a magic number of 32 bits
}

// isShort reports whether a name has the form of a short one: up to eight
// characters with a "~" and a digit, and up to three after a dot.
func isShort(name string) bool {
	ext := path.Ext(name)
	base := strings.TrimSuffix(name, ext)
	i := strings.LastIndexByte(base, '~')
	return i >= 0 && i+1 < len(base) && base[i+1] >= '0' && base[i+1] <= '9' && len(base) <= 8 && len(ext) <= 4
}
