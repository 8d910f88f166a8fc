package at

import (
	"io"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// appendTo writes at the offset that means the end of the file, for which no handle of
// FILE_APPEND_DATA is needed (WriteFile).
func appendTo(f *os.File, bufs [][]byte) (done int, err error) {
	for _, b := range bufs {
		for len(b) > 0 {
			var n uint32
			end := &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxUint32}
			if err := windows.WriteFile(windows.Handle(f.Fd()), b, &n, end); err != nil {
				return done, wrap("write", f.Name(), err)
			}
			if n == 0 {
				return done, wrap("write", f.Name(), io.ErrUnexpectedEOF)
			}
			done, b = done+int(n), b[n:]
		}
	}
	return done, nil
}
