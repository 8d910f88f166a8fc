package at

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// ReadvAt reads into buffers one after the other, as io.ReaderAt does into one.
func ReadvAt(f *os.File, bufs [][]byte, off int64) (int, error) {
	return vector(bufs, func(b [][]byte, done int) (int, error) {
		n, err := unix.Preadv(int(f.Fd()), b, off+int64(done))
		if n == 0 && err == nil {
			err = io.EOF
		}
		return n, err
	}, "read", f.Name())
}

// WritevAt writes buffers one after the other, as io.WriterAt does one.
func WritevAt(f *os.File, bufs [][]byte, off int64) (int, error) {
	return vector(bufs, func(b [][]byte, done int) (int, error) {
		n, err := unix.Pwritev(int(f.Fd()), b, off+int64(done))
		if n == 0 && err == nil {
			err = io.ErrUnexpectedEOF
		}
		return n, err
	}, "write", f.Name())
}

// appendTo uses RWF_APPEND (Linux 4.16), which has the kernel find the end under the inode's lock.
func appendTo(f *os.File, bufs [][]byte) (int, error) {
	return vector(bufs, func(b [][]byte, _ int) (int, error) {
		n, err := unix.Pwritev2(int(f.Fd()), b, 0, unix.RWF_APPEND)
		if n == 0 && err == nil {
			err = io.ErrUnexpectedEOF
		}
		return n, err
	}, "write", f.Name())
}

// maxVector is IOV_MAX of Linux.
const maxVector = 1024

// vector repeats a call until every buffer was dealt with.
func vector(bufs [][]byte, call func(b [][]byte, done int) (int, error), op, name string) (int, error) {
	total, done := 0, 0
	for _, b := range bufs {
		total += len(b)
	}
	rest := bufs
	for done < total {
		var n int
		err := again(func() (err error) {
			n, err = call(rest[:min(len(rest), maxVector)], done)
			return err
		})
		if errors.Is(err, io.EOF) {
			return done, err
		}
		if err != nil {
			return done, wrap(op, name, err)
		}
		done += n
		rest = after(rest, n)
	}
	return done, nil
}

// after returns what is left of buffers after n bytes.
func after(bufs [][]byte, n int) [][]byte {
	for len(bufs) > 0 && n >= len(bufs[0]) {
		n -= len(bufs[0])
		bufs = bufs[1:]
	}
	if n == 0 {
		return bufs
	}
	out := append([][]byte(nil), bufs...)
	out[0] = out[0][n:]
	return out
}

// Allocate makes or unmakes room in a file (fallocate(2)); mode is 0 or made of
// FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE and FALLOC_FL_ZERO_RANGE.
func Allocate(f *os.File, mode uint32, off, size int64) error {
	const known = unix.FALLOC_FL_KEEP_SIZE | unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_ZERO_RANGE
	if mode&^known != 0 {
		return wrap("fallocate", f.Name(), unix.EOPNOTSUPP)
	}
	return wrap("fallocate", f.Name(), again(func() error { return unix.Fallocate(int(f.Fd()), mode, off, size) }))
}

// Seek finds data or a hole from off on (lseek(2)); whence is [SeekData] or
// [SeekHole]. Nothing else depends on the position that it leaves.
func Seek(f *os.File, off int64, whence int) (int64, error) {
	if whence != unix.SEEK_DATA && whence != unix.SEEK_HOLE {
		return 0, wrap("lseek", f.Name(), unix.EINVAL)
	}
	if info, err := Stat(f); err == nil && info.Online && off >= 0 && off < info.Size { // what is not here yet is no hole
		if whence == unix.SEEK_HOLE {
			off = info.Size
		}
		return off, nil
	}
	n, err := unix.Seek(int(f.Fd()), off, whence)
	return n, wrap("lseek", f.Name(), err)
}

// blocksLag reports whether a file may have more content than its blocks say: ZFS compresses, and counts
// the blocks of what was written only seconds later.
func blocksLag(f *os.File) bool {
	const zfs = 0x2fc12fc1
	var st unix.Statfs_t
	return again(func() error { return unix.Fstatfs(int(f.Fd()), &st) }) == nil && uint32(st.Type) == zfs //nolint:gosec // a magic number of 32 bits
}
