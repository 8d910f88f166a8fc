//go:build !linux

package at

import "os"

// ReadvAt reads into buffers one after the other, as io.ReaderAt does into one.
func ReadvAt(f *os.File, bufs [][]byte, off int64) (int, error) {
	return each(bufs, off, f.ReadAt)
}

// WritevAt writes buffers one after the other, as io.WriterAt does one.
func WritevAt(f *os.File, bufs [][]byte, off int64) (int, error) {
	return each(bufs, off, f.WriteAt)
}

func each(bufs [][]byte, off int64, call func([]byte, int64) (int, error)) (done int, err error) {
	for _, b := range bufs {
		n, err := call(b, off+int64(done))
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// Allocate is fallocate(2), which this system does not have.
func Allocate(f *os.File, mode uint32, off, size int64) error {
	return wrap("fallocate", f.Name(), ErrUnsupported)
}

// Seek is lseek(2) for data and holes. macOS has it, but takes what was written through a mapping for a
// hole until that is on the disk; Windows has files with holes only where a program asked for them.
func Seek(f *os.File, off int64, whence int) (int64, error) {
	return 0, wrap("lseek", f.Name(), ErrUnsupported)
}

// blocksLag is of Linux.
func blocksLag(*os.File) bool { return false }
