package online

import (
	"errors"
	"io/fs"
	"syscall"
)

const hasStubs = true

// Of says what the file at a path of this computer is, which its directory said is info, without
// opening it: file is that it is a regular one.
func Of(_ string, info fs.FileInfo) (file, online bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	file = info.Mode().IsRegular()
	return file, file && ok && OfDarwin(st.Flags)
}

// Failed reports whether an error of reading a file that is online-only says that it could not be
// downloaded.
func Failed(err error) bool {
	return errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.EDEADLK) || errors.Is(err, syscall.EIO)
}
