package qemu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"time"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// pipeRetry is how often it is looked whether QEMU has made a named pipe.
// Windows has no event for that.
const pipeRetry = 10 * time.Millisecond

// endpoints are the named pipes that QEMU makes, in the order of its command
// line: it makes each one and waits there for us before it goes on.
type endpoints []string

// listen only lists: on Windows it is QEMU that listens.
func listen(_ context.Context, s Spec) (endpoints, error) {
	var ends endpoints
	if s.Console != "" {
		ends = append(ends, s.Console)
	}
	for _, p := range s.Ports {
		ends = append(ends, p.Socket)
	}
	if s.Folders != "" {
		ends = append(ends, s.Folders)
	}
	return ends, nil
}

// accept connects to each pipe. QEMU makes one instance of each, so that nobody
// else can connect afterwards.
func (e endpoints) accept(ctx context.Context, conns map[string]net.Conn) error {
	for _, socket := range e {
		c, err := dialPipe(ctx, `\\.\pipe\`+PipeName(socket))
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("wait for QEMU on %s: %w", filepath.Base(socket), err)
		}
		conns[socket] = c
	}
	return nil
}

// dialPipe connects to a pipe as soon as it is there.
func dialPipe(ctx context.Context, name string) (net.Conn, error) {
	t := time.NewTicker(pipeRetry)
	defer t.Stop()
	for {
		c, err := winio.DialPipeAccess(ctx, name, windows.GENERIC_READ|windows.GENERIC_WRITE)
		if !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// close does nothing: the pipes are QEMU's and go with it.
func (endpoints) close() {}
