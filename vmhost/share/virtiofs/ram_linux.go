package virtiofs

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// CopyRAM copies the file of a guest's memory to a new file, leaving out the
// holes that it has, and returns the bytes that were copied; a clone, where the
// file system makes one, copies nothing. The device needs such a copy: it sees
// the guest's memory only when QEMU maps the file shared, and a machine that is
// restored from a template that others use maps it copying on write. dst should
// be on a file system like src: in tmpfs even reading a hole takes memory.
func CopyRAM(dst, src string) (n int64, err error) {
	from, err := os.Open(src)
	if err != nil {
		return 0, fmt.Errorf("copying memory: %w", err)
	}
	defer from.Close()
	to, err := os.OpenFile(dst, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fmt.Errorf("copying memory: %w", err)
	}
	defer func() {
		if err = errors.Join(err, to.Close()); err != nil {
			err = errors.Join(fmt.Errorf("copying memory: %w", err), os.Remove(dst))
		}
	}()
	if unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil {
		return 0, nil
	}
	info, err := from.Stat()
	if err != nil {
		return 0, err
	}
	if err := to.Truncate(info.Size()); err != nil {
		return 0, err
	}
	for off := int64(0); ; {
		data, err := unix.Seek(int(from.Fd()), off, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return n, nil // nothing but a hole to the end
		}
		if err != nil {
			return n, &os.PathError{Op: "lseek", Path: src, Err: err}
		}
		if off, err = unix.Seek(int(from.Fd()), data, unix.SEEK_HOLE); err != nil {
			return n, &os.PathError{Op: "lseek", Path: src, Err: err}
		}
		if err := copyRange(to, from, data, off-data); err != nil {
			return n, err
		}
		n += off - data
	}
}

// copyRange copies in the kernel where it can (os.File.ReadFrom uses
// copy_file_range(2)).
func copyRange(to, from *os.File, off, size int64) error {
	for _, f := range []*os.File{to, from} {
		if _, err := f.Seek(off, io.SeekStart); err != nil {
			return err
		}
	}
	_, err := io.CopyN(to, from, size)
	return err
}
