//go:build linux || darwin

package api

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"piwork/app/api/door"
)

// ListenSocket opens the unix socket at path for this user alone: mode 0600, in a
// directory that nobody else can change (made with mode 0700 where it is not there),
// and only for processes of the same user. The caller holds the controller's lock,
// so a socket that is already there was left by a controller that is gone.
func ListenSocket(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of the socket: %w", err)
	}
	if err := checkPrivate(dir); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("%s is in the way of the socket", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove the old socket: %w", err)
		}
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("make the socket private: %w", err)
	}
	return &sameUser{Listener: ln, uid: os.Getuid()}, nil
}

// sameUser accepts connections of one user only.
type sameUser struct {
	net.Listener
	uid int
}

// Accept closes what comes from others and goes on.
func (l *sameUser) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if u, ok := c.(*net.UnixConn); ok && checkPeer(u, l.uid) == nil {
			return c, nil
		}
		_ = c.Close()
	}
}

// checkPrivate refuses a directory that others own or can change: there a socket
// could be swapped for another one.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("directory of the socket: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ok || int(st.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user: no socket is opened in it", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("other users can change %s (mode %#o): no socket is opened in it", dir, info.Mode().Perm())
	}
	return nil
}

// checkPeer returns an error unless the other end runs as a user.
func checkPeer(c *net.UnixConn, want int) error {
	uid, err := door.AskSocket(c, peerUID)
	if err != nil {
		return err
	}
	if uid != want {
		return fmt.Errorf("user %d is not the owner", uid)
	}
	return nil
}
