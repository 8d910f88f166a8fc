package job

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// lookOnly opens for nothing but looking: no device and no pipe hears of it.
const lookOnly = unix.O_PATH

// openAt is openat2(2) from a directory, the path being for words only.
func openAt(top, way, path string, flags int) (*os.File, error) {
	fd, err := openWay(top, way, flags)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

func openWay(top, way string, flags int) (int, error) {
	dir, err := unix.Open(top, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil || way == "." && flags == unix.O_PATH|unix.O_DIRECTORY {
		return dir, err
	}
	defer unix.Close(dir)
	how := unix.OpenHow{Flags: uint64(flags) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	const patience = 1000 // for one who moves folders about while we look
	for try := 0; ; try++ {
		fd, err := unix.Openat2(dir, way, &how)
		if try == patience || !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// reach opens the directory of a path, and names it by what it is in this process
// (proc_pid_fd(5)).
func reach(path string) (same string, done func(), err error) {
	dir := filepath.Dir(path)
	top, way := ground(dir)
	fd, err := openWay(top, way, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return "", nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return "/proc/self/fd/" + strconv.Itoa(fd) + "/" + filepath.Base(path), func() { _ = unix.Close(fd) }, nil // it was never written to
}

// escapes reports what openat2 says of links that lead out, and of those of links
// without an end.
func escapes(err error) bool { return errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ELOOP) }
