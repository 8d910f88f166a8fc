package pump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sizes of the buffers, in bytes: a message of 1 MiB passes in one piece where
// the other side gives it so.
const (
	toClientBuffer = 256 << 10
	toPortBuffer   = 1 << 20
)

// transfer copies from one non-blocking descriptor to another until the end of
// either. It gathers what is there before it writes: one write to the client's
// socket wakes it once, where a port gives at most a page a time.
//
// Reading and writing never wait, so they are raw system calls without the
// bookkeeping of Go's scheduler; only poll waits.
func transfer(to, from int, buf []byte) error {
	var at place
	for {
		n, err := gather(from, buf, &at)
		if err != nil {
			return err
		}
		if err := writeAll(to, buf[:n]); err != nil {
			return err
		}
	}
}

// gather waits for the first bytes and takes what follows without waiting, up to
// the end of a message: nearly always there is no other one behind it, and asking
// for it costs as much as the message.
func gather(fd int, buf []byte, at *place) (int, error) {
	n := 0
	for n < len(buf) {
		m, errno := raw(unix.SYS_READ, fd, buf[n:])
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			if n > 0 {
				return n, nil
			}
			if err := wait(fd, unix.POLLIN); err != nil {
				return 0, err
			}
		case errno != 0:
			return 0, fmt.Errorf("read: %w", errno)
		case m == 0:
			if n > 0 {
				return n, nil // the end is seen again
			}
			return 0, io.EOF
		default:
			n += m
			if at.pass(buf[n-m : n]) {
				return n, nil
			}
		}
	}
	return n, nil
}

// place is where in a stream of messages somebody stands. It only saves a system
// call: in a stream that is none it may be anywhere, and nothing is lost by that.
type place struct {
	head [4]byte // size[4] of a message, little-endian, itself included
	n    int     // bytes of it that were seen
	left int     // bytes of the message that follow
}

// pass goes past bytes, and reports whether it stands between two messages then.
func (p *place) pass(b []byte) bool {
	for len(b) > 0 {
		if p.left > 0 {
			k := min(p.left, len(b))
			p.left -= k
			b = b[k:]
			continue
		}
		k := copy(p.head[p.n:], b)
		p.n += k
		if b = b[k:]; p.n == len(p.head) {
			p.left = max(int(binary.LittleEndian.Uint32(p.head[:]))-len(p.head), 0)
			p.n = 0
		}
	}
	return p.left == 0 && p.n == 0
}

func writeAll(fd int, buf []byte) error {
	for len(buf) > 0 {
		m, errno := raw(unix.SYS_WRITE, fd, buf)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			if err := wait(fd, unix.POLLOUT); err != nil {
				return err
			}
		case errno != 0:
			return fmt.Errorf("write: %w", errno)
		default:
			buf = buf[m:]
		}
	}
	return nil
}

func raw(call uintptr, fd int, buf []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	return int(n), errno
}

// busyWait is how long a wait keeps Go's scheduler out, in ms: coming back from
// an ordinary system call costs as much as a small message. Longer waits are
// ordinary ones, since an idle machine must not be woken for bookkeeping.
const busyWait = 20

// wait waits until fd is ready. A port whose host left is never ready for
// writing again; it reports the hang-up instead.
func wait(fd int, events int16) error {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: events}}
	limit := unix.Timespec{Nsec: busyWait * 1e6} // the call counts it down
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	for n == 0 || errno != 0 {
		got, err := unix.Poll(fds[:], -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("poll: %w", err)
		}
		n, errno = uintptr(max(got, 0)), 0
	}
	switch got := fds[0].Revents; {
	case got&(unix.POLLERR|unix.POLLNVAL) != 0:
		return io.ErrUnexpectedEOF
	case events == unix.POLLOUT && got&unix.POLLHUP != 0:
		return io.EOF
	}
	return nil
}

// awaitHost waits until a host has the port open: until then poll(2) reports
// that it hung up.
func awaitHost(fd int, stall time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if _, err := unix.Poll(fds, 0); err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLNVAL|unix.POLLHUP) == 0 {
		return nil
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	defer unix.Close(epoll)
	// Every change is reported once, the present state first.
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLET}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	for deadline := time.Now().Add(stall); ; {
		if _, err := unix.Poll(fds, 0); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("poll: %w", err)
		}
		left := time.Until(deadline)
		switch {
		case fds[0].Revents&(unix.POLLERR|unix.POLLNVAL) != 0:
			return io.ErrUnexpectedEOF
		case fds[0].Revents&unix.POLLHUP == 0:
			return nil
		case left <= 0:
			return errors.New("the host's file server does not open the port")
		}
		events := make([]unix.EpollEvent, 1)
		if _, err := unix.EpollWait(epoll, events, int(left/time.Millisecond)+1); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("epoll: %w", err)
		}
	}
}

// drain throws away what the host sent to a pump before this one: the answers
// to requests that nobody remembers.
func drain(fd int, buf []byte) {
	for {
		n, errno := raw(unix.SYS_READ, fd, buf)
		if errno != 0 && errno != unix.EINTR || errno == 0 && n == 0 {
			return
		}
	}
}
