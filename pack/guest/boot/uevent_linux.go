package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Await waits until ready reports true, asking again after every event of a
// device (NETLINK_KOBJECT_UEVENT), until ctx ends. ready is asked once after
// listening began, so that no event is missed.
func Await(ctx context.Context, what string, ready func() bool) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return fmt.Errorf("waiting for %s: uevent socket: %w", what, err)
	}
	events := os.NewFile(uintptr(fd), "uevent")
	defer events.Close()
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1}); err != nil {
		return fmt.Errorf("waiting for %s: uevent bind: %w", what, err)
	}
	stop := context.AfterFunc(ctx, func() { events.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	buf := make([]byte, 8<<10)
	for !ready() {
		_, err := events.Read(buf)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		case err != nil && !errors.Is(err, unix.ENOBUFS): // ENOBUFS: events were lost, so ask again
			return fmt.Errorf("waiting for %s: %w", what, err)
		}
	}
	return nil
}
