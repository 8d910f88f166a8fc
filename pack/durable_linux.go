package pack

import (
	"os"

	"golang.org/x/sys/unix"
)

// startFlush asks the kernel to begin writing a range of f to the disk, so that
// the disk works while the rest is still unpacked (sync_file_range(2)). It is a
// hint: what counts is syncFile.
func startFlush(f *os.File, off, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
}

// syncFile makes a file durable. Several are made so at once, which the journal
// commits together: measured faster than one syncfs(2) for all, and it does not
// wait for what other programs have written.
func syncFile(f *os.File) error { return f.Sync() }
