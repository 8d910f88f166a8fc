package at

import (
	"io"
	"os"
)

// Append writes buffers one after the other to the end of a file, where the system finds it: no
// Append of another handle, and no program that appends, writes to the same place. It returns
// the number of bytes, and the length of the file right after the write, in which is what others have
// appended by then. A write that the system cuts, as when a disk gets full, may have what
// others append in between. On macOS the handle appends from then on, whatever offset it is given.
func Append(f *os.File, bufs [][]byte) (n int, size int64, err error) {
	if n, err = appendTo(f, bufs); err != nil {
		return n, 0, err
	}
	size, err = End(f)
	return n, size, err
}

// End returns how long an open file is. Unlike [Stat] it leaves the file's times alone, which Linux
// counts in finer steps, and writes more slowly, after each look.
func End(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }
