package port

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrRemoved is returned when the device itself is gone.
var ErrRemoved = errors.New("port: the device was removed")

// hostCheck bounds how long a lost wake-up, or the end of the context, goes
// unnoticed while the host is away.
const hostCheck = time.Second

// Port is an open virtio-serial port. One goroutine may read while another
// writes.
type Port struct {
	ctx context.Context
	fd  int
	// Who waits for the host's return waits for edges: poll(2) reports POLLHUP
	// all the while. Reader and writer each have their own, for an edge is
	// reported once.
	readEdge, writeEdge int

	closing sync.Once
}

// Open opens the device of a port, see [Find]. When ctx ends, who waits for
// the host's return gives up with its error.
func Open(ctx context.Context, device string) (*Port, error) {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	p, err := newPort(ctx, fd)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	return p, nil
}

func newPort(ctx context.Context, fd int) (*Port, error) {
	read, err := edges(fd)
	if err != nil {
		return nil, err
	}
	write, err := edges(fd)
	if err != nil {
		unix.Close(read)
		return nil, err
	}
	return &Port{ctx: ctx, fd: fd, readEdge: read, writeEdge: write}, nil
}

// edges returns an epoll instance that reports every change of fd once.
func edges(fd int) (int, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("epoll: %w", err)
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLET}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		unix.Close(epoll)
		return -1, fmt.Errorf("epoll: %w", err)
	}
	return epoll, nil
}

// Read reads what is there, waiting for at least one byte, however often the
// host comes and goes meanwhile.
func (p *Port) Read(b []byte) (int, error) {
	for len(b) > 0 {
		n, err := unix.Read(p.fd, b)
		switch {
		case n > 0:
			return n, nil
		case err == nil: // the host is away: poll(2) reports POLLIN all the while
			if err := p.waitEdge(p.readEdge); err != nil {
				return 0, err
			}
		case errors.Is(err, unix.EAGAIN):
			if err := p.wait(unix.POLLIN, p.readEdge); err != nil {
				return 0, err
			}
		case !errors.Is(err, unix.EINTR):
			return 0, portError("read", err)
		}
	}
	return 0, nil
}

// Write writes all of b, waiting while the host does not read or is away.
func (p *Port) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		n, err := unix.Write(p.fd, b[done:])
		switch {
		case n > 0:
			done += n
		case err == nil, errors.Is(err, unix.EAGAIN):
			if err := p.wait(unix.POLLOUT, p.writeEdge); err != nil {
				return done, err
			}
		case !errors.Is(err, unix.EINTR):
			return done, portError("write", err)
		}
	}
	return done, nil
}

// wait waits for one kind of readiness; while the host is away, for a change.
func (p *Port) wait(events int16, edge int) error {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: events}}
	_, err := unix.Poll(fds, -1)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("port: poll: %w", err)
	}
	switch got := fds[0].Revents; {
	case got&(unix.POLLERR|unix.POLLNVAL) != 0:
		return ErrRemoved
	case got&events != 0, got&unix.POLLHUP == 0:
		return p.ctx.Err()
	}
	return p.waitEdge(edge)
}

// waitEdge waits for a change of the port; an old one may wake it once.
func (p *Port) waitEdge(edge int) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	changed := make([]unix.EpollEvent, 1)
	_, err := unix.EpollWait(edge, changed, int(hostCheck/time.Millisecond))
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("port: wait: %w", err)
	}
	return nil
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
	p.closing.Do(func() { err = errors.Join(unix.Close(p.fd), unix.Close(p.readEdge), unix.Close(p.writeEdge)) })
	return err
}
