package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Errors of a port.
var (
	// ErrHostGone is returned by Write when nobody listens on the host.
	ErrHostGone = errors.New("port: the host is not connected")
	// ErrRemoved is returned when the device itself is gone.
	ErrRemoved = errors.New("port: the device was removed")
)

// hostCheck is how long AwaitHost trusts that it will hear of the host's
// coming; the kernel tells at once, this only bounds a lost wake-up.
const hostCheck = time.Second

// Port is an open virtio-serial port. One goroutine may read while another
// writes.
type Port struct {
	fd int
	// epoll reports changes of the port edge-triggered: poll(2) alone cannot
	// wait for the host's return, since it reports POLLHUP all the time.
	epoll int

	closing sync.Once
}

// Open opens the device of a port, see [Find].
func Open(device string) (*Port, error) {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	p, err := newPort(fd)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	return p, nil
}

func newPort(fd int) (*Port, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLET}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		unix.Close(epoll)
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &Port{fd: fd, epoll: epoll}, nil
}

// AwaitHost waits until somebody is connected on the host.
func (p *Port) AwaitHost(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		readable, connected, err := p.state()
		if err != nil {
			return err
		}
		if connected || readable { // what the host sent before it left is still to be read
			return nil
		}
		events := make([]unix.EpollEvent, 1)
		_, err = unix.EpollWait(p.epoll, events, int(hostCheck/time.Millisecond))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("port: wait: %w", err)
		}
	}
}

// state asks what is ready now: data to read, and whether the host is there.
func (p *Port) state() (readable, connected bool, err error) {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN | unix.POLLOUT}}
	for {
		_, err := unix.Poll(fds, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return false, false, fmt.Errorf("port: poll: %w", err)
		}
		got := fds[0].Revents
		if got&(unix.POLLERR|unix.POLLNVAL) != 0 {
			return false, false, ErrRemoved
		}
		return got&unix.POLLIN != 0, got&unix.POLLHUP == 0, nil
	}
}

// Read reads what is there, waiting for at least one byte. It returns io.EOF
// while the host is not connected.
func (p *Port) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		n, err := unix.Read(p.fd, b)
		switch {
		case n > 0:
			return n, nil
		case err == nil:
			return 0, io.EOF
		case errors.Is(err, unix.EAGAIN):
			if err := p.poll(unix.POLLIN); err != nil {
				return 0, err
			}
		case !errors.Is(err, unix.EINTR):
			return 0, portError("read", err)
		}
	}
}

// Write writes all of b, waiting while the host does not read. When the host
// leaves meanwhile it returns ErrHostGone, and the rest of b is lost.
func (p *Port) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		n, err := unix.Write(p.fd, b[done:])
		switch {
		case n > 0:
			done += n
		case err == nil, errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			_, connected, err := p.state()
			if err != nil {
				return done, err
			}
			if !connected {
				return done, ErrHostGone
			}
			if err := p.poll(unix.POLLOUT); err != nil {
				return done, err
			}
		default:
			return done, portError("write", err)
		}
	}
	return done, nil
}

// poll waits for one kind of readiness or for the host's leaving.
func (p *Port) poll(events int16) error {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: events}}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("port: poll: %w", err)
		}
		return nil
	}
}

func portError(what string, err error) error {
	if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EBADF) {
		return fmt.Errorf("%w: %s: %w", ErrRemoved, what, err)
	}
	return fmt.Errorf("port: %s: %w", what, err)
}

// Close closes the device. No Read or Write may be under way.
func (p *Port) Close() error {
	var err error
	p.closing.Do(func() { err = errors.Join(unix.Close(p.fd), unix.Close(p.epoll)) })
	return err
}
