package pack

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// startFlush asks the kernel to begin writing a range of f to the disk, so that
// the disk works while the rest is still unpacked (sync_file_range(2)). It is a
// hint: what counts is syncTree.
func startFlush(f *os.File, off, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
}

// syncFile is left to syncTree: one call for all instead of a journal commit for
// each of a thousand small files.
func syncFile(*os.File) error { return nil }

// syncTree makes all files and directories below root durable (syncfs(2), which
// reports failures of earlier writes since Linux 5.8).
func syncTree(root *os.Root, _ []string) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.Syncfs(int(d.Fd())); err != nil {
		return fmt.Errorf("sync the file system: %w", err)
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(root *os.Root, name string) error {
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
