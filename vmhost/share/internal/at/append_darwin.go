package at

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// appendTo makes the handle one of O_APPEND first: macOS has no call that appends through another.
func appendTo(f *os.File, bufs [][]byte) (done int, err error) {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_APPEND == 0 {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_APPEND)
	}
	if err != nil {
		return 0, wrap("write", f.Name(), err)
	}
	for _, b := range bufs {
		for len(b) > 0 {
			n := 0
			err := again(func() (err error) { n, err = unix.Write(int(f.Fd()), b); return err })
			if n <= 0 && err == nil {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return done, wrap("write", f.Name(), err)
			}
			done, b = done+n, b[n:]
		}
	}
	return done, nil
}
