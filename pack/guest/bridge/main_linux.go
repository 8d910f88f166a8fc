package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
	"piwork/vmhost/wire/mux"
)

// Descriptors of the process besides the standard streams.
const (
	portFD   = 3 // the port, not blocking, open for this process alone
	statusFD = 4 // write end of a pipe: statusListens, or why not
)

const statusListens = "+"

const (
	nobody = 65534 // user and group

	// hostStall is how long the host may take to open the port that it has plugged.
	hostStall = 10 * time.Second
	hostCheck = 2 * time.Millisecond
)

// Main is the whole process of a bridge: it listens when the host is there, and
// returns the exit code when the host has left.
func Main() int {
	debug.SetMemoryLimit(memoryLimit / 2)
	unix.CloseOnExec(portFD)
	// Hungry programs are to end before what they speak through.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("-900"), 0); err != nil {
		fmt.Fprintln(os.Stderr, "bridge: oom_score_adj:", err)
	}
	status := os.NewFile(statusFD, "status")
	l, err := listen()
	if err != nil {
		_, _ = status.WriteString(err.Error())
		return 1
	}
	_, _ = status.WriteString(statusListens)
	_ = status.Close()
	s, err := mux.Guest(os.NewFile(portFD, wire.PortNet))
	if err == nil {
		err = serve(l, s)
	}
	fmt.Fprintln(os.Stderr, "bridge:", err)
	return 1
}

// listen waits for the host and becomes nobody.
func listen() (net.Listener, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), hostStall, errors.New("the host does not open its port"))
	defer cancel()
	if err := awaitHost(ctx, portFD); err != nil {
		return nil, err
	}
	for _, drop := range []func() error{
		func() error { return unix.Setgroups(nil) },
		func() error { return unix.Setresgid(nobody, nobody, nobody) },
		func() error { return unix.Setresuid(nobody, nobody, nobody) },
		noNewPrivileges,
	} {
		if err := drop(); err != nil {
			return nil, fmt.Errorf("become nobody: %w", err)
		}
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp4", wire.GatewayAddr)
}

// noNewPrivileges is for all threads, which prctl(2) does one at a time.
func noNewPrivileges() error {
	if _, _, no := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); no != 0 {
		return no
	}
	return nil
}

// awaitHost waits until the host has opened a port: poll(2) reports POLLHUP before.
func awaitHost(ctx context.Context, fd int) error {
	t := time.NewTicker(hostCheck)
	defer t.Stop()
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		_, err := unix.Poll(fds, 0)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("poll the port: %w", err)
		case fds[0].Revents&(unix.POLLERR|unix.POLLNVAL) != 0:
			return errors.New("the port was taken away")
		case fds[0].Revents&unix.POLLHUP == 0:
			return nil
		}
		// Nothing is there to be read before the host is; of a port that was taken
		// away that is an error, which poll(2) does not know.
		if _, err := unix.Read(fd, make([]byte, 1)); errors.Is(err, unix.ENODEV) {
			return fmt.Errorf("the port was taken away: %w", err)
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
