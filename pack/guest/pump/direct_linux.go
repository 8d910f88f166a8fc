package pump

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// The guest's own kernel (pack/image/kernel/recipe/patches) speaks on the port
// itself: then nothing is copied here, and this process is but the life of the
// mount. Its end of the socket pair is what the kernel calls hupfdno: the client
// fails every call when this process is gone, and closes its end when the share is
// unmounted. Debian's kernel says EINVAL, and the pump copies.

// portOptions name the port as the client's descriptors, and a socket whose
// hang-up ends the connection.
func portOptions(socket int) string {
	return fmt.Sprintf(",rfdno=%d,wfdno=%d,hupfdno=%d", portFD, portFD, socket)
}

// canHandOver reports whether the kernel can go on with the port in a share that is
// mounted over the socket pair. A kernel that cannot takes any options for good;
// one that can wants a second descriptor.
func canHandOver(path string) bool {
	return errors.Is(remount(path, "rfdno=0"), unix.ENOPROTOOPT)
}

// handOver has the kernel go on with the port; nothing is in flight.
func handOver(path string, socket int) error {
	if err := remount(path, portOptions(socket)[1:]); err != nil {
		return fmt.Errorf("hand the port over to the mount on %s: %w", path, err)
	}
	return nil
}

func remount(path, options string) error {
	return unix.Mount("piwork", path, "9p", unix.MS_REMOUNT|mountFlags, options)
}

// watch waits until the share is unmounted or the host leaves, and returns the
// exit code.
func watch(ours, port int, path string) int {
	fds := [2]unix.PollFd{{Fd: int32(ours), Events: unix.POLLIN}, {Fd: int32(port)}} // POLLHUP is always reported
	for {
		if _, err := unix.Poll(fds[:], -1); err != nil && !errors.Is(err, unix.EINTR) {
			return 1
		}
		if fds[1].Revents != 0 {
			return 1
		}
		if fds[0].Revents == 0 {
			continue
		}
		if err := awaitEnd(ours); !errors.Is(err, io.EOF) {
			return 1
		}
		// A mount whose client gave up is there, and answers nothing.
		var st unix.Statfs_t
		if err := unix.Statfs(path, &st); err != nil {
			return 1
		}
		return 0
	}
}

// awaitEnd reads what nobody should have written; io.EOF is that the client closed
// its end.
func awaitEnd(ours int) error {
	var b [1]byte
	n, errno := raw(unix.SYS_READ, ours, b[:])
	if errno != 0 {
		return errno
	}
	if n > 0 {
		return errors.New("the client wrote to the socket")
	}
	return io.EOF
}
