//go:build unix

package qemu

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// endpoints are sockets on which piwork waits for QEMU, by path.
type endpoints map[string]*net.UnixListener

// listen makes every socket of s, for this user only.
func listen(ctx context.Context, s Spec) (endpoints, error) {
	ends := make(endpoints)
	var paths []string
	if s.Console != "" {
		paths = append(paths, s.Console)
	}
	for _, p := range s.Ports {
		paths = append(paths, p.Socket)
	}
	if s.Folders != "" {
		paths = append(paths, s.Folders)
	}
	for _, path := range paths {
		l, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
		if err == nil {
			ends[path] = l.(*net.UnixListener)
			err = os.Chmod(path, 0o600)
		}
		if err != nil {
			ends.close()
			return nil, fmt.Errorf("listen for QEMU: %w", err)
		}
	}
	return ends, nil
}

// accept waits for one connection on each socket. Nobody can connect to them
// afterwards.
func (e endpoints) accept(ctx context.Context, conns map[string]net.Conn) error {
	stop := context.AfterFunc(ctx, e.close)
	defer stop()
	defer e.close()
	for path, l := range e {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("wait for QEMU on %s: %w", filepath.Base(path), err)
		}
		conns[path] = c
	}
	return nil
}

// close ends listening and removes the sockets; it may be called twice.
func (e endpoints) close() {
	for _, l := range e {
		_ = l.Close()
	}
}
